--[[ figmill for pandoc and Quarto: ![](figmill:ID) shows a figure, [](figmill:ID#FACT:FORMAT) writes a fact of it.

  pandoc page.md -s --lua-filter figmill.lua --css figmill.css -V document-css=1 -o page.html

Build the figures first: `figmill`, or `figmill export --to pdf` for LaTeX and `--to png` for Word. In a page's metadata,
`figmill: {root: FOLDER}` names a book elsewhere, `path` the address of its output folder if that is not found, and
`pages` the other pages of the book, to which [words](figmill:ID) may lead.
Code blocks in the languages of `fences` in the book's settings, or of `figmill: {fences: [...]}` in the page's
metadata, become figures, and so do local images whose suffix is in `images` of those settings. An unknown figure or fact is a warning of pandoc, so --fail-if-warnings makes it an error.

The command `figmill` does the work: this filter asks it once for each document that names a figure. ]]

local NOT_FOUND = "the command figmill is not found; install it with `pip install figmill`, and have it on the PATH"
local FAILED = "`figmill page` failed for the reason above; after an update of figmill, run `figmill setup` again"

--- What `figmill page --json` reads. text: the document as JSON.
local function request(text)
  local source = quarto and quarto.doc.input_file -- pandoc reads a copy of it
  return pandoc.json.encode {
    version = 1, host = quarto and "quarto" or "pandoc", format = FORMAT, output = PANDOC_STATE.output_file,
    sources = pandoc.List(source and { source } or PANDOC_STATE.input_files), document = text,
    theme = FORMAT == "revealjs" and tostring(PANDOC_WRITER_OPTIONS.variables.theme or "") or nil,
  }
end

--- The document with its figures, and the messages about it. Or nil, and the error.
local function answer(text)
  local is_run, output = pcall(pandoc.pipe, "figmill", { "page", "--json" }, request(text))
  if is_run then return pandoc.json.decode(output, false) end
  return nil, type(output) == "table" and FAILED or NOT_FOUND -- a table has an exit code
end

local function warn(message, file, line, level)
  local place = type(file) == "string" and string.format("%s:%d: ", file, line) or ""
  if level == "note" then -- which pandoc would say with --verbose alone
    io.stderr:write("[INFO] figmill: " .. place .. message .. "\n")
  else
    pandoc.log.warn("figmill: " .. place .. message)
  end
end

--- The address of a figure or fact, in place of it: LaTeX would stop at a picture that does not exist.
local function mark(own)
  local address = own.src or own.target
  if address:match("^figmill:") then return pandoc.Strong { pandoc.Str(address) } end
end

--- A block that only pandoc can write as HTML: a caption for GitHub.
local function as_html(own)
  if not own.classes:includes("figmill-as-html") then return nil end
  local html = pandoc.write(pandoc.Pandoc(own.content), "html5"):gsub("%s*\n%s*", " ")
  return pandoc.RawBlock("html", own.attributes.before .. html .. own.attributes.after)
end

--- Whether the settings of a book in this folder or above it mention fences or images.
local function settings_have_figures()
  local folder = os.getenv("FIGMILL_ROOT") or "."
  for _ = 1, 12 do
    for _, name in ipairs { "figmill.toml", "pyproject.toml" } do
      local file = io.open(folder .. "/" .. name)
      if file then
        local text = file:read("a")
        file:close()
        local found = text:find("fences%s*=") or text:find("images%s*=")
        if found and (name == "figmill.toml" or text:find("figmill", 1, true)) then return true end
      end
    end
    folder = folder .. "/.."
  end
  return false
end

--- Whether the document has code blocks or images that may be figures.
local function may_have_figures(document)
  local found = false
  document:walk {
    CodeBlock = function(block) found = found or #block.classes > 0 end,
    Image = function() found = true end,
  }
  if not found then return false end
  local own = document.meta.figmill
  return (type(own) == "table" and own.fences ~= nil) or settings_have_figures()
end

function Pandoc(document)
  local text = pandoc.write(document, "json")
  if not text:find("figmill:", 1, true) and not may_have_figures(document) then return nil end
  local found, problem = answer(text)
  if not found then
    warn(problem)
    return document:walk { Image = mark, Link = mark }
  end
  for _, one in ipairs(found.messages) do warn(one.message, one.file, one.line, one.level) end
  if quarto and quarto.doc.is_format("html") then
    quarto.doc.add_html_dependency { name = "figmill", version = "1.0.0", stylesheets = { "figmill.css" },
      scripts = { "figmill-explore.js", "figmill-zoom.js" } }
  end
  return pandoc.read(found.document, "json"):walk { Div = as_html }
end
