/* figmill for webpack: a page with figures is converted again when the manifest of the book has changed. */

export default function follow(text) {
  const { manifest } = this.getOptions();
  if (manifest && /figmill:|^\s*(?:```|~~~)/m.test(text)) this.addDependency(manifest);
  return text;
}
