import { expect, test } from 'bun:test'

import { metadataOf } from '../metadata-of.ts'

/** The first posts of threads, in the markup of the default templates of forum software. */
test.each<[system: string, html: string, expected: string, path?: string]>([
  [
    'phpBB 3',
    `<h2 class="topic-title"><a href="./viewtopic.php?t=1">Which flour?</a></h2>
    <div id="p1" class="post"><dl class="postprofile"><dt><a href="./memberlist.php?mode=viewprofile&u=2" class="username">kim_p</a></dt>
    <dd class="profile-rank">Member</dd><dd class="profile-posts"><strong>Posts:</strong> 12</dd></dl>
    <div class="postbody"><h3><a href="#p1">Which flour?</a></h3><p class="author"><a title="Post" href="#p1"></a>by
    <strong><a href="./memberlist.php?mode=viewprofile&u=2" class="username">kim_p</a></strong> » Fri May 03, 2024 10:00 am</p></div></div>`,
    'kim_p',
  ],
  [
    'XenForo 2',
    `<h1 class="p-title-value">Which flour?</h1><div class="p-description"><ul class="listInline"><li><i class="fa-user"></i>
    <span class="u-srOnly">Thread starter</span> <a href="/members/kim_p.1/" class="username u-concealed">kim_p</a></li>
    <li><span class="u-srOnly">Start date</span> <a href="/threads/1/"><time datetime="2024-05-03T10:00:00+0000">May 3, 2024</time></a></li></ul></div>`,
    'kim_p',
  ],
  [
    'vBulletin 3',
    `<table><tr><td class="thead">03-05-2024, 10:00</td></tr><tr><td class="alt2"><div id="postmenu_1">
    <a class="bigusername" href="member.php?u=2">kim_p</a></div><div class="smallfont">Registered User</div></td></tr></table>`,
    'kim_p',
    '/showthread.php?t=1',
  ],
  [
    'FluxBB',
    `<div class="blockpost firstpost"><h2><span>#1 <a href="viewtopic.php?pid=1#p1">2024-05-03 10:00:00</a></span></h2>
    <div class="postleft"><dl><dt><strong>kim_p</strong></dt><dd class="usertitle"><strong>Member</strong></dd>
    <dd><span>Registered: 2020-01-01</span></dd></dl></div><div class="postright"><h3>Which flour?</h3></div></div>
    <div class="blockpost"><div class="postleft"><dl><dt><strong>Max Moe</strong></dt><dd class="usertitle">Moderator</dd></dl></div></div>`,
    'kim_p',
  ],
  [
    'UBB.threads 7',
    `<table><tr><td class="author-content"><div class="bold author-name"><a href="/ubbthreads.php/users/2/kim_p"><span class="username">kim_p</span></a></div>
    <div class="small author-registered">Joined: <span class="date">Oct 1999</span></div><div class="small author-posts">Posts: 12</div></td></tr></table>`,
    'kim_p',
  ],
  [
    'Vanilla',
    `<h1>Which flour?</h1><div class="Item ItemDiscussion Role_Member"><div class="AuthorWrap"><span class="Author">
    <a title="kim_p" href="/profile/kim_p" class="PhotoWrap"><img src="/u.jpg" alt="kim_p"></a><a href="/profile/kim_p" class="Username">kim_p</a></span>
    <span class="AuthorInfo"><span class="MItem RoleTitle">Member</span></span></div></div>`,
    'kim_p',
  ],
  [
    'Discourse, for crawlers',
    `<h1><a href="/t/which-flour/1">Which flour?</a></h1><div itemscope itemtype="http://schema.org/DiscussionForumPosting">
    <div class="topic-body crawler-post"><span class="creator" itemprop="author" itemscope itemtype="http://schema.org/Person">
    <a itemprop="url" rel="nofollow" href="/u/kim_p"><span itemprop="name">kim_p</span></a></span></div></div>`,
    'kim_p',
  ],
  [
    'Reddit',
    `<div class="grid-container flex-nav-expanded"><span slot="authorName"><a aria-label="Author: kim_p" class="author-name items-center" href="/user/kim_p/">kim_p</a></span>
    <h1 slot="title">Which flour?</h1></div>`,
    'kim_p',
  ],
])('%s', (_, html, expected, path = '/thread') => {
  const url = new URL(path, 'https://forum.test')
  expect(metadataOf(`<html lang="en"><title>Which flour?</title>${html}`, { url }).meta?.author).toBe(expected)
})
