#!/usr/bin/env bash
# bun 1.4.5: HTMLRewriter returns `Fish &amp; chips` for an attribute whose value is "Fish & chips".
#
# HTMLRewriter is a fast way to read the tags of a page: `element.getAttribute('content')`, `text.text`.
#
# Expected: the values that getAttribute() and textContent have in a browser, because the parser behind it (lol-html)
# tokenizes as the HTML Standard says, and the standard's tokenizer decodes character references.
# Seen: attributes and text are as in the source, so a title is "Tom &amp; Jerry", and an image's URL keeps `&amp;` between
# its parameters. In the other direction, setAttribute() encodes only `"`, so a value that was read can be written
# back; a value from elsewhere with `&copy` in it gets another meaning. A text also arrives in parts, of which the last one
# is empty.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund bun@1.4.5 >/dev/null
cat >read.js <<'JS'
const html =
  '<title>Tom &amp; Jerry</title><meta property="og:image" content="https://img.example/?w=600&amp;h=315">' +
  '<meta name="description" content="caf&eacute; &#8211; open">'
const texts = []
const print = (name) => ({ element: (element) => console.log(`${name}: ${element.getAttribute('content')}`) })
new HTMLRewriter()
  .on('title', { text: ({ text }) => void texts.push(text) })
  .on('meta[property="og:image"]', print('og:image'))
  .on('meta[name=description]', print('description'))
  .transform(html)
console.log(`title: ${JSON.stringify(texts)}`)
const written = new HTMLRewriter()
  .on('a', { element: (element) => void element.setAttribute('title', 'a "quoted" &copy; & more') })
  .transform('<a>')
console.log(`setAttribute: ${written}`)
JS
seen=$(./node_modules/.bin/bun read.js)
printf '%s\n' "$seen"

# The output of version 1.4.5:
diff <(printf '%s\n' "$seen") - <<'EOF'
og:image: https://img.example/?w=600&amp;h=315
description: caf&eacute; &#8211; open
title: ["Tom &amp; Jerry",""]
setAttribute: <a title="a &quot;quoted&quot; &copy; & more">
EOF
