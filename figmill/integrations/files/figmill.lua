--[[ figmill for pandoc and Quarto: ![](figmill:ID) shows a figure, [](figmill:ID#FACT:FORMAT) writes a fact of it.

  pandoc page.md -s --lua-filter figmill.lua --css figmill.css -V document-css=1 -o page.html

Build the figures first: `figmill`, with `--to pdf` for LaTeX and `--to png` for Word. In a page's metadata,
`figmill: {root: FOLDER}` names a book elsewhere, `path` the address of its output folder where that is not found, and
`pages` the other pages of the book, to which [words](figmill:ID) may lead.
An unknown figure or fact is a warning of pandoc, so --fail-if-warnings makes it an error. ]]

local MARK = "Out of date: the last build of this figure failed."
-- Which file of a figure each kind of output takes. Web pages have both themes, all others the light one.
local FORMATS = {
  latex = "pdf", beamer = "pdf", context = "pdf",
  docx = "png", odt = "png", opendocument = "png", pptx = "png", rtf = "png",
}
local MARKDOWN = { gfm = true, commonmark = true, commonmark_x = true }
-- Files that hold their pictures themselves: pandoc looks for those from the folder that it runs in.
local HOLDERS = { pdf = true, docx = true, odt = true, pptx = true, rtf = true, epub = true }

local folder, rows, base -- of the output folder: where it is, a row by label, its address from the page
local problem            -- why there is none
local ids = {}           -- label -> the id that links in this document lead to
local holders = {}       -- label -> which of its pictures in this document has the id `fig-LABEL`
local counts = {}        -- label -> how many of its pictures have been replaced
local told = {}
local turned = {}        -- label -> whether readers turn the figure in this document
local pages = {}         -- the other pages of the book, by the metadata
local decoded = {}       -- label -> its row, decoded

-- Files ----------------------------------------------------------------------------------------------------------

local function read(path)
  local file = io.open(path, "rb")
  local text = file and file:read("a")
  if file then file:close() end
  return text
end

--- The output folder that the settings of a book name.
local function output_of(root)
  for _, name in ipairs { "figmill.toml", "pyproject.toml" } do
    local text = read(root .. "/" .. name)
    if text then
      text = "\n" .. text
      local table_ = text:match("\n%[tool%.figmill%]([^\n]*.*)")
      if not table_ and name == "figmill.toml" then table_ = text end
      local found = table_ and table_:gsub("\n%[.*", ""):match('\n%s*output%s*=%s*["\']([^"\'\n]+)["\']')
      if found and found ~= "in-place" then return found end
    end
  end
  return "build"
end

local function absolute(path)
  if pandoc.path.is_absolute(path) then return path end
  return pandoc.path.normalize(pandoc.path.join { pandoc.system.get_working_directory(), path })
end

--- The folder of the manifest, and its text: of the named book, or the nearest one upwards.
local function find(given)
  local root = absolute(given or ".")
  while true do
    local place = pandoc.path.join { root, output_of(root) }
    local text = read(place .. "/manifest.json")
    if text then return place, text end
    local parent = pandoc.path.directory(root)
    if given or parent == root or parent == "." then return nil end
    root = parent
  end
end

--- The folder `to` from the folder `from`, both absolute.
local function relative(to, from)
  return (pandoc.path.make_relative(to, from, true):gsub("\\", "/"))
end

local function open(meta)
  local own = meta.figmill or {}
  local text_of = function(key) return own[key] and pandoc.utils.stringify(own[key]) or nil end
  for _, name in ipairs(own.pages or {}) do pages[#pages + 1] = pandoc.utils.stringify(name) end
  local text
  folder, text = find(text_of "root" or os.getenv "FIGMILL_ROOT")
  if not folder then
    problem = "there is no built book of figmill here or above; run figmill, or name it with FIGMILL_ROOT"
    return
  end
  rows = {}
  for line in text:gmatch("[^\n]+") do
    local id, name = line:match('^{"id": "(.-)", "name": (.-), "track"')
    if id then rows[name == "null" and id or id .. "-" .. name:sub(2, -2)] = (line:gsub(",%s*$", "")) end
  end
  local file = PANDOC_STATE.output_file
  local here = pandoc.system.get_working_directory()
  if file and not HOLDERS[file:match("%.(%w+)$") or ""] then here = pandoc.path.directory(absolute(file)) end
  base = text_of "path" or relative(folder, here)
end

-- What is told ---------------------------------------------------------------------------------------------------

--- `page.md:12: `, for the line that first names the target; pandoc itself has forgotten lines.
local function place_of(target)
  for _, name in ipairs(PANDOC_STATE.input_files) do
    local number, fence = 0, nil
    for line in ((read(name) or "") .. "\n"):gmatch("(.-)\n") do
      number = number + 1
      local mark = line:match("^%s*(```+)") or line:match("^%s*(~~~+)")
      if mark then
        if not fence then fence = mark elseif mark:sub(1, #fence) == fence then fence = nil end
      elseif not fence and line:find(target, 1, true) then
        return name .. ":" .. number .. ": "
      end
    end
  end
  return ""
end

local function warn(message, target)
  if told[message] then return end
  told[message] = true
  pandoc.log.warn("figmill: " .. place_of(target) .. message)
end

--- `; did you mean 'graph'?`, by the least number of letters to change.
local function did_you_mean(word, known)
  local best, least = nil, math.max(1, #word * 0.5)
  for name in pairs(known) do
    local row = {}
    for j = 0, #name do row[j] = j end
    for i = 1, #word do
      local before = row[0]
      row[0] = i
      for j = 1, #name do
        local cost = word:sub(i, i):lower() == name:sub(j, j):lower() and 0 or 1
        before, row[j] = row[j], math.min(row[j] + 1, row[j - 1] + 1, before + cost)
      end
    end
    if row[#name] < least or (row[#name] == least and (not best or name < best)) then
      best, least = name, row[#name]
    end
  end
  return best and "; did you mean '" .. best .. "'?" or ""
end

-- Figures and facts ----------------------------------------------------------------------------------------------

local function target_of(address)
  local rest = address:match("^figmill:(.*)$")
  if not rest then return nil end
  local label, fact, form = rest:match("^([^#]*)#([^:]*):?(.*)$")
  if not label then return { text = address, label = rest } end
  form = form:gsub("%%(%x%x)", function(code) return string.char(tonumber(code, 16)) end)
  local before = (":" .. form):match("^(.*):declared$")
  return { text = address, label = label, fact = fact, form = before and before:sub(2) or form, is_kept = before ~= nil }
end

--- The row of the manifest, or nothing and a warning.
local function row_of(target)
  if problem then
    warn(problem, target.text)
    return nil
  end
  local line = rows[target.label]
  if not line then
    warn("there is no figure '" .. target.label .. "'" .. did_you_mean(target.label, rows), target.text)
    return nil
  end
  local row = decoded[target.label]
  if not row then
    row = pandoc.json.decode(line, false)
    if row.caption == pandoc.json.null then row.caption = nil end -- which Lua takes for true
    decoded[target.label] = row
  end
  return row
end

--- What readers turn of a figure, for figmill-explore.js: the end of its row, as JSON that means nothing to HTML.
local function line_of_explore(target)
  local found = rows[target.label]:match(', "explore": ({"parameters": .*})}$')
  if not found then return nil end
  found = found:gsub(', "sha256": "%x+"', "")
  return (found:gsub("[&<>'`]", function(letter) return string.format("\\u%04x", letter:byte()) end))
end

local function grouped(text)
  local sign, whole, rest = text:match("^([+-]?)(%d+)(.*)$")
  if not whole then return text end
  return sign .. whole:reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "") .. rest
end

-- Units, as in figmill/units.py: what a given unit or a word of a fact's name multiplies by, and the unit after that.
local TIMES = { ns = 1e-9, us = 1e-6, ["µs"] = 1e-6, ms = 1e-3, s = 1, min = 60, h = 3600 }
local WORDS = { ns = { 1e-9, "s" }, us = { 1e-6, "s" }, ms = { 1e-3, "s" }, s = { 1, "s" }, h = { 3600, "s" },
  bytes = { 1, "B" }, flops = { 1, "FLOP/s" } }
local RATES = { bytes = "B/s", requests = "requests/s", tokens = "tokens/s", samples = "samples/s" }
local WHOLE = { B = true, ["B/s"] = true, FLOP = true, ["FLOP/s"] = true, ["FLOP/B"] = true, tokens = true,
  ["tokens/s"] = true, ["requests/s"] = true, [""] = true }
local PREFIXES = { [-15] = "f", [-12] = "p", [-9] = "n", [-6] = "µ", [-3] = "m", [0] = "", [3] = "k", [6] = "M",
  [9] = "G", [12] = "T", [15] = "P", [18] = "E" }
local LONGER = { { 86400, "days" }, { 3600, "h" }, { 60, "min" } }

--- A number with so many significant digits, and the power of ten of its first one.
local function rounded(value, digits)
  local text = string.format("%." .. digits - 1 .. "e", value)
  return tonumber(text), tonumber(text:match("e(.*)$"))
end

--- The same as text without an exponent.
local function number(value, digits)
  if value == 0 then return "0" end
  local near, power = rounded(value, digits)
  local text = string.format("%." .. math.min(20, math.max(0, digits - power - 1)) .. "f", near)
  return text:find(".", 1, true) and text:gsub("0+$", ""):gsub("%.$", "") or text
end

--- `43.4 ms` for 0.0434 and "s".
local function quantity(value, unit, digits)
  if value == 0 then return ("0 " .. unit):gsub("%s+$", "") end
  local near, power = rounded(value, digits)
  power = math.min(18, math.max(WHOLE[unit] and 0 or -15, 3 * (power // 3)))
  return (number(near / tonumber("1e" .. power), digits) .. " " .. PREFIXES[power] .. unit):gsub("%s+$", "")
end

--- A time: with a prefix below 100 s, then in minutes, hours or days.
local function duration(seconds)
  for _, longer in ipairs(LONGER) do
    if math.abs(seconds) >= math.max(100, 1.6 * longer[1]) then return number(seconds / longer[1], 3) .. " " .. longer[2] end
  end
  if seconds == 0 then return "0 s" end
  local _, power = rounded(seconds, 3)
  power = math.max(-15, 3 * (power // 3))
  return number(seconds / tonumber("1e" .. power), 3) .. " " .. PREFIXES[power] .. "s"
end

--- The factor and the unit that the name of a fact tells: by its last word that is a unit.
local function unit_of(name)
  local words = {}
  for word in (name .. "_"):gmatch("(.-)_") do words[#words + 1] = word end
  for at = #words, 1, -1 do
    if words[at] == "s" and words[at - 1] == "per" then return 1, RATES[words[at - 2]] or "/s" end
    if WORDS[words[at]] then return table.unpack(WORDS[words[at]]) end
  end
end

--- A fact in the format `si`, `.4si` or `si ms`. digits, unit: of the format. Or nothing, and what is wrong.
local function stated(fact, form, digits, given, name)
  if type(fact) ~= "number" then return nil, "only a number has a unit" end
  local factor, unit
  if TIMES[given] then factor, unit = TIMES[given], "s"
  elseif given ~= "" then factor, unit = 1, given
  else factor, unit = unit_of(name) end
  if not factor then return nil, "the name '" .. name .. "' tells no unit; say which it is in: " .. form .. " ms" end
  if digits == "" and unit == "s" then return duration(fact * factor) end
  return (quantity(fact * factor, unit, tonumber(digits) or 3))
end

--- A fact in a format: `+`, `,`, `.digits` and one of d f e g %, as in Python, or with its unit. Or nothing, and what is
--- wrong. name: of the fact.
local function shown(fact, form, name)
  if type(fact) == "table" then
    local parts = {}
    for _, item in ipairs(fact) do
      local text, wrong = shown(item, form, name)
      if not text then return nil, wrong end
      parts[#parts + 1] = text
    end
    return table.concat(parts, ", ")
  end
  local precise, given = form:match("^(.-)si ?(%S*)$")
  local is_unit = precise and (precise == "" or precise:match("^%.[1-9]$")) and utf8.len(given) and utf8.len(given) <= 20
  if is_unit and (given ~= "") == (form:find("si ", 1, true) ~= nil) then
    return stated(fact, form, precise:sub(2), given, name)
  end
  local sign, comma, digits, kind = form:match("^(%+?)(,?)%.?(%d*)([dfeg%%]?)$")
  if not sign or #digits > 2 or (form:find(".", 1, true) ~= nil) ~= (digits ~= "") then
    return nil, "'" .. form .. "' is no format; one is .2f, .1%, ,d, or si for a number with its unit"
  end
  if type(fact) ~= "number" then
    if form ~= "" then return nil, "'" .. form .. "' is a format for numbers, and this is none" end
    return (type(fact) == "string" or type(fact) == "boolean") and tostring(fact) or "none"
  end
  local is_whole = fact == math.floor(fact)
  if kind == "" and digits == "" then kind = is_whole and math.abs(fact) < 1e15 and "d" or "g" end
  if kind == "d" then
    if not is_whole or digits ~= "" then
      return nil, "'" .. form .. "' shows whole numbers, and this is " .. string.format("%.6g", fact)
    end
    digits = "0"
  end
  local letters = { d = "f", f = "f", e = "e", g = "g", ["%"] = "f", [""] = "g" }
  local text = string.format(
    "%" .. sign .. "." .. (digits == "" and "6" or digits) .. letters[kind], kind == "%" and fact * 100 or fact
  )
  if comma ~= "" then text = grouped(text) end
  return text .. (kind == "%" and "%" or "")
end

local function missing(target)
  return pandoc.Span({ pandoc.Strong { pandoc.Str(target.text) } }, pandoc.Attr("", { "figmill-mark" }))
end

--- The text of a fact for each picture of a figure that readers turn; nothing if it is the same for all.
local function texts_of(target, row)
  if not turned[target.label] or target.is_kept then return nil end
  local texts, is_one = {}, true
  for _, picture in ipairs(row.explore.pictures) do
    local fact, text, wrong = picture.facts[target.fact], "\u{2013}", nil
    if fact ~= nil then text, wrong = shown(fact, target.form, target.fact) end
    if not text then
      warn("fact '" .. target.fact .. "' of figure '" .. target.label .. "', in one of its pictures: " .. wrong, target.text)
      return nil
    end
    texts[#texts + 1] = text:gsub("%s+", " ")
    is_one = is_one and texts[#texts] == texts[1]
  end
  return not is_one and texts or nil
end

--- The same as an element that figmill-explore.js finds.
local function following(target, text, texts)
  local classes = { "figmill-fact" }
  for _, one in ipairs(texts) do
    if utf8.len(one) > 24 then classes[2] = "figmill-phrase" end
  end
  local attributes = { { "data-figmill-fact", target.label }, { "data-figmill-texts", table.concat(texts, "\n") } }
  return pandoc.Span({ pandoc.Str(text) }, pandoc.Attr("", classes, attributes))
end

--- A fact as text. is_in_heading: which stands in a table of contents, too, and keeps the declared value.
local function fact_of(target, is_in_heading)
  local row = row_of(target)
  if not row then return missing(target) end
  local fact = row.facts[target.fact]
  if fact == nil then
    local near = did_you_mean(target.fact or "", row.facts)
    local known = {}
    for name in pairs(row.facts) do known[#known + 1] = name end
    table.sort(known)
    if near == "" then near = "; it states: " .. (#known > 0 and table.concat(known, ", ") or "none") end
    warn("figure '" .. target.label .. "' states no fact '" .. (target.fact or "") .. "'" .. near, target.text)
    return missing(target)
  end
  local text, wrong = shown(fact, target.form or "", target.fact)
  local texts = text and not is_in_heading and texts_of(target, row)
  if texts then return following(target, text, texts) end
  if text then return pandoc.Str(text) end
  warn("fact '" .. target.fact .. "' of figure '" .. target.label .. "': " .. wrong, target.text)
  return missing(target)
end

local function file_of(row, theme, format)
  for _, file in ipairs(row.files) do
    if file.theme == theme and file.format == format then return file end
  end
end

local function is_web()
  return FORMAT:match("html") ~= nil or FORMAT:match("^revealjs") or FORMAT:match("^s5") or FORMAT:match("^slid")
end

local function encoded(path)
  return (path:gsub("[^%w%-%._~/]", function(letter) return string.format("%%%02X", letter:byte()) end))
end

local function address_of(file)
  local path = base == "." and file.path or base .. "/" .. file.path
  return is_web() and encoded(path) or path
end

local function image(row, file, theme, own)
  local attributes, web = {}, is_web()
  if web or FORMAT:match("^epub") or FORMATS[FORMAT] == "png" then
    attributes = { { "width", string.format("%d", math.floor(file.width + 0.5)) },
      { "height", string.format("%d", math.floor(file.height + 0.5)) } }
  end
  local width = own.attributes.width
  if width and web then
    attributes[#attributes + 1] = { "style", "width:" .. width:gsub("^[%d.]+$", "%0px") .. ";height:auto" }
  elseif width then
    attributes = { { "width", width } }
  end
  if web then
    attributes[#attributes + 1] = { "loading", "lazy" }
    attributes[#attributes + 1] = { "decoding", "async" }
  end
  local classes = web and { "figmill-" .. theme } or {}
  if web and quarto and theme ~= "only" then classes[2] = theme .. "-content" end
  local address = address_of(file)
  return pandoc.Image(pandoc.Inlines(row.alt), address, "", pandoc.Attr("", classes, attributes))
end

--- The pictures of a figure for this kind of output: one, or both for web pages.
local function pictures(row, own, target)
  local theme = own.attributes.theme or "auto"
  local light, dark = file_of(row, "light", "svg"), file_of(row, "dark", "svg")
  if is_web() and theme == "auto" and light and dark then
    return { image(row, light, "light", own), image(row, dark, "dark", own) }
  end
  local chosen = (theme == "dark" and dark and "dark") or (light and "light") or "dark"
  local format = FORMATS[FORMAT] or "svg"
  local file = file_of(row, chosen, format)
  if not file then
    if format ~= "svg" then
      warn("figure '" .. target.label .. "' has no " .. format:upper() .. "; run figmill --to " .. format,
        target.text)
    end
    file = file_of(row, chosen, "svg")
  end
  return file and { image(row, file, "only", own) } or {}
end

--- Text for HTML in a line of Markdown: a blank line would end that HTML.
local function escaped(text)
  local signs = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }
  return (text:gsub("%s+", " "):gsub("[&<>\"]", signs))
end

local function id_in_html(id)
  return id ~= "" and ' id="' .. escaped(id) .. '"' or ""
end

--- What GitHub shows: it lets no style sheet in, and chooses by the reader's system. id: of the picture.
local function picture(row, id)
  local light, dark = file_of(row, "light", "svg"), file_of(row, "dark", "svg")
  local address = function(file) return escaped(encoded(address_of(file))) end
  local only = light or dark
  local both = light and dark
  local img = string.format('<img%s src="%s" alt="%s" width="%d" height="%d">', both and "" or id_in_html(id),
    address(only), escaped(row.alt), math.floor(only.width + 0.5), math.floor(only.height + 0.5))
  if not both then return img end
  local source = '<source media="(prefers-color-scheme: dark)" srcset="' .. address(dark) .. '">'
  return "<picture" .. id_in_html(id) .. ">" .. source .. img .. "</picture>"
end

--- The same as a figure. own: with the label as an attribute, and the caption as its content.
local function figure_of_github(own)
  local row = pandoc.json.decode(rows[own.attributes.label], false)
  local words = pandoc.write(pandoc.Pandoc(own.content), "html5"):gsub("%s*\n%s*", " ")
  local caption = words:match("%S") and "\n<figcaption>" .. words .. "</figcaption>" or ""
  local html = picture(row, own.attributes.second or "") .. caption
  return pandoc.RawBlock("html", "<figure" .. id_in_html(own.identifier) .. ">\n" .. html .. "\n</figure>")
end

--- The ids of a picture: its own, and `fig-LABEL` if it is the one of its figure that has it; or empty.
local function ids_of(target, own)
  counts[target.label] = (counts[target.label] or 0) + 1
  local anchor = holders[target.label] == counts[target.label] and "fig-" .. target.label or ""
  if own == anchor then anchor = "" end
  if own ~= "" or anchor ~= "" then ids[target.label] = ids[target.label] or (own ~= "" and own or anchor) end
  if own == "" then return anchor, "" end
  return own, anchor
end

local function in_line(own)
  local target = target_of(own.src)
  if not target then return nil end
  local row = row_of(target)
  if not row then return missing(target) end
  local id, second = ids_of(target, own.identifier)
  local found
  if MARKDOWN[FORMAT] then
    if second ~= "" then id, second = second, "" end -- links of GitHub lead there
    return pandoc.RawInline("html", picture(row, id))
  end
  found = pictures(row, own, target)
  if is_web() or id ~= "" then
    found = pandoc.Inlines { pandoc.Span(found, pandoc.Attr(id, is_web() and { "figmill-picture" } or {})) }
  end
  if second ~= "" then found = pandoc.Inlines { pandoc.Span(found, pandoc.Attr(second)) } end
  return found
end

--- A figure by itself. words: blocks of a caption of the page's own; id: of its figure.
local function by_itself(own, words, id)
  local target = target_of(own.src)
  local row = row_of(target)
  if not row then return pandoc.Para { missing(target) } end
  if row.status ~= "current" then
    warn("figure '" .. target.label .. "' is out of date, its last build failed", target.text)
  end
  local caption = row.caption and pandoc.Blocks { pandoc.Plain(pandoc.Inlines(row.caption)) }
  if words and #words > 0 then caption = words end
  local second
  id, second = ids_of(target, id)
  if MARKDOWN[FORMAT] then
    local attributes = { { "label", target.label }, { "second", second } }
    return pandoc.Div(caption or {}, pandoc.Attr(id, { "figmill-of-github" }, attributes))
  end
  local found = pandoc.Plain(pictures(row, own, target))
  local wrapper = pandoc.Div({ found }, pandoc.Attr(second, is_web() and { "figmill-picture" } or {}))
  local blocks = { (is_web() or second ~= "") and wrapper or found }
  if line_of_explore(target) and is_web() then
    local attributes = { { "data-figmill-figure", target.label }, { "data-figmill-explore", line_of_explore(target) } }
    blocks[2] = pandoc.Div({}, pandoc.Attr("", { "figmill-explore" }, attributes))
    turned[target.label] = true
  end
  if row.status ~= "current" and is_web() then
    blocks[#blocks + 1] = pandoc.Div({ pandoc.Plain { pandoc.Str(MARK) } }, pandoc.Attr("", { "figmill-mark" }))
  end
  local classes = { "figmill", table.unpack(own.classes) }
  return pandoc.Figure(blocks, { long = caption or {} }, pandoc.Attr(id, is_web() and classes or {}))
end

--- The image of figmill that is all that some blocks hold.
local function lone(blocks)
  local first = #blocks == 1 and blocks[1]
  if not first or (first.t ~= "Plain" and first.t ~= "Para") or #first.content ~= 1 then return nil end
  local inside = first.content[1]
  return inside.t == "Image" and target_of(inside.src) and inside or nil
end

--- The walk over all pictures of figmill, in their order. by_itself and in_line: called for each.
local function over(by_itself_, in_line_)
  return {
    traverse = "topdown",
    Figure = function(own)
      local found = lone(own.content)
      if found then return by_itself_(found, own.caption.long, own.identifier), false end
    end,
    Para = function(own)
      local found = lone { own }
      if not found then return nil end
      return by_itself_(found, #found.caption > 0 and { pandoc.Plain(found.caption) }, found.identifier), false
    end,
    Image = in_line_,
  }
end

--- Choose the picture of each figure that has the id `fig-LABEL`: the first by itself, or else the first in a line.
local function choose(document)
  local seen, is_by_itself, taken = {}, {}, {}
  local function see(label, by_itself_)
    seen[label] = (seen[label] or 0) + 1
    if rows and rows[label] and (not holders[label] or (by_itself_ and not is_by_itself[label])) then
      holders[label], is_by_itself[label] = seen[label], by_itself_
    end
  end
  document:walk(over(
    function(found, _, id)
      taken[id] = true
      see(target_of(found.src).label, true)
    end,
    function(found)
      taken[found.identifier] = true
      local target = target_of(found.src)
      if target then see(target.label, false) end
    end))
  local function take(own) taken[own.identifier] = true end
  document:walk { Header = take, Div = take, Span = take, Link = take, Code = take, CodeBlock = take, Table = take }
  for label in pairs(holders) do
    if taken["fig-" .. label] then
      holders[label] = nil
      ids[label] = "fig-" .. label
    end
  end
end

--- The address of a figure on another page of the book, and whether there is one; no address where pages are not linked.
local function elsewhere(label)
  local here = pandoc.path.directory(absolute(PANDOC_STATE.input_files[1] or "."))
  for _, name in ipairs(pages) do
    local is_there = false
    pandoc.read(read(name) or "", "markdown"):walk {
      Image = function(own) is_there = is_there or (target_of(own.src) or {}).label == label end,
    }
    if is_there then
      if not is_web() and not MARKDOWN[FORMAT] then return nil, true end
      local path = relative(absolute(name), here)
      local suffix = (PANDOC_STATE.output_file or ""):match("%.%w+$") or ".html"
      if not quarto then path = path:gsub("%.%w+$", suffix) end -- Quarto itself leads links to sources
      return encoded(path) .. "#fig-" .. label, true
    end
  end
  return nil, false
end

local FIGURES = over(by_itself, in_line)
local HEADINGS = {
  Header = function(own)
    return own:walk { Link = function(link)
      local target = target_of(link.target)
      return target and target.fact and fact_of(target, true) or nil
    end }
  end,
}
local LINKS = {
  Link = function(own)
    local target = target_of(own.target)
    if not target then return nil end
    if target.fact or #own.content == 0 then return fact_of(target) end
    if row_of(target) and not counts[target.label] then
      local address, is_there = elsewhere(target.label)
      if is_there and not address then return own.content end
      if address then
        own.target = address
        return own
      end
      if #pages > 0 then
        warn("no page shows figure '" .. target.label .. "'; show it on one, with ![](figmill:" .. target.label .. ")",
          target.text)
      else
        warn("figure '" .. target.label .. "' is not on this page; link to the page that shows it, with #fig-"
          .. target.label .. ", or name the pages of the book under figmill: pages", target.text)
      end
    end
    own.target = "#" .. (ids[target.label] or "fig-" .. target.label)
    return own
  end,
}
local GITHUB = {
  Div = function(own) return own.classes:includes("figmill-of-github") and figure_of_github(own) or nil end,
}

function Pandoc(document)
  open(document.meta)
  if quarto and quarto.doc.is_format("html") then
    quarto.doc.add_html_dependency { name = "figmill", version = "1.0.0", stylesheets = { "figmill.css" },
      scripts = { "figmill-explore.js" } }
  end
  choose(document)
  local written = document:walk(FIGURES):walk(HEADINGS):walk(LINKS):walk(GITHUB)
  if next(turned) and not quarto then
    local script = read(pandoc.path.join { pandoc.path.directory(PANDOC_SCRIPT_FILE), "figmill-explore.js" })
    if script then written.blocks:insert(pandoc.RawBlock("html", "<script>\n" .. script .. "</script>"))
    else warn("figmill-explore.js is not beside figmill.lua, so nobody can turn a figure; run figmill setup pandoc", "") end
  end
  return written
end
