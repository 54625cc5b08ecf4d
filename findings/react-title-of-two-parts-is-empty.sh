#!/usr/bin/env bash
# react 19.3.1: <title>{page} | {site}</title> is an empty title, in production without a warning.
#
# A component renders the whole document on the server, with a title of the page's name and the site's.
#
# Expected: the children are joined, as in every other element. React 18 does that, with the comment that it writes between
# two texts (which browsers show in a title, where HTML knows no comments).
# Seen: renderToString() writes `<title></title>`. JSX makes three children of the line, and a title may have one. Only the
# development build says so, on the console; the page has no name in tabs, search results and link previews. A template
# literal, <title>{`${page} | ${site}`}</title>, is one child (https://react.dev/reference/react-dom/components/title).
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund react@19.3.1 react-dom@19.3.1 >/dev/null
mkdir old
cd old
npm init -y >/dev/null
npm install --silent --no-audit --no-fund react@18.3.1 react-dom@18.3.1 >/dev/null
cd ..
cat >title.mjs <<'JS'
import { createElement, version } from 'react'
import { renderToString } from 'react-dom/server'

const [page, site] = ['News', 'Example']
// What JSX makes of <title>{page} | {site}</title> and of <h1>{page} | {site}</h1>.
for (const name of ['title', 'h1'])
  console.log(`${version}: ${renderToString(createElement(name, null, page, ' | ', site))}`)
console.log(`${version}: ${renderToString(createElement('title', null, `${page} | ${site}`))}`)
JS
cp title.mjs old/
seen=$(NODE_ENV=production node title.mjs; NODE_ENV=production node old/title.mjs)
printf '%s\n' "$seen"

# The output of versions 19.3.1 and 18.3.1:
diff <(printf '%s\n' "$seen") - <<'EOF'
19.3.1: <title></title>
19.3.1: <h1>News<!-- --> | <!-- -->Example</h1>
19.3.1: <title>News | Example</title>
18.3.1: <title>News<!-- --> | <!-- -->Example</title>
18.3.1: <h1>News<!-- --> | <!-- -->Example</h1>
18.3.1: <title>News | Example</title>
EOF
