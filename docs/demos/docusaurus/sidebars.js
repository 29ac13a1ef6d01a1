export default { pages: ["index", "again", "explore", "figures"] };
