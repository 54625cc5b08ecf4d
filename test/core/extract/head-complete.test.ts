import { describe, expect, test } from 'bun:test'

import { PageScan } from '../../../src/core/extract/extract.ts'

/** Of a page that has come so far. */
function isHeadComplete(bytes: Uint8Array): boolean {
  const scan = new PageScan()
  scan.read(bytes)
  return scan.isHeadComplete
}

const TITLE = '<meta property="og:title" content="T">'

describe('whether the head is complete', () => {
  test.each([
    ['nothing yet', '', false],
    ['title, head open', `<head>${TITLE}`, false],
    ['title, head closed', `<head>${TITLE}</head>`, true],
    ['title, body begun', `<head>${TITLE}<body>`, true],
    ['title, body with attributes', `${TITLE}<BODY class="a>b">`, true],
    ['title by name', `<meta name=og:title content=T></head>`, true],
    ['end tag cut off', `${TITLE}</head`, false],
    ['end tag with a space', `${TITLE}</head >`, true],
    ['body tag cut off', `${TITLE}<body class="`, false],
    ['no title', '<title>T</title></head>', false],
    ['blank title', '<meta property="og:title" content=" "></head>', false],
    ['title without content', '<meta property="og:title"></head>', false],
    ['title behind the head', `</head>${TITLE}</head>`, false],
    ['title in the body', `<body>${TITLE}</body>`, false],
    ['title in a comment', `<!-- ${TITLE} --></head>`, false],
    ['title in a template', `<template>${TITLE}</template></head>`, false],
    ['end in a comment', `${TITLE}<!-- </head>`, false],
    ['end in a script', `${TITLE}<script>"</head>"`, false],
    ['end in a style', `${TITLE}<style></head></style>`, false],
    ['end in an attribute', `${TITLE}<meta content="</head>">`, false],
    ['end in a template', `${TITLE}<template></head><body>`, false],
    ['end behind a template', `${TITLE}<template><p></template></head>`, true],
    ['another tag that begins so', `${TITLE}<header></header><bodyx>`, false],
    ['elements of the body before the end', `${TITLE}<div></div>`, false],
  ])('%s', (_, html, expected) => expect(isHeadComplete(new TextEncoder().encode(html))).toBe(expected))
})
