import type { Role } from '../domain/role.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { ActDetail } from '../storage/rows.ts'
import { type Html, html, NOTHING } from './html.ts'
import { time } from './parts.ts'
import { mayDo } from './routes.ts'
import type { TextKey } from './texts/en.ts'
import { LANGUAGES, type Language, type Translate } from './texts/texts.ts'

/** What stands around a page. */
export interface Frame {
  t: Translate
  language: Language
  /** Below /console, without and with its query. */
  path: string
  here: string
  style: string
  user: { name: string; role: Role; token: string } | null
  zone: string | null
  now: Instant
  /** The act that led here. */
  done: ActDetail | null
}

const AREAS: readonly (readonly [path: string, words: TextKey])[] = [
  ['/', 'today.title'],
  ['/failures', 'failures.title'],
  ['/destinations', 'destinations.title'],
  ['/events', 'events.title'],
  ['/deliveries', 'deliveries.title'],
  ['/audit', 'audit.title'],
]

export async function document(frame: Frame, { title, body }: { title: string; body: Html }): Promise<string> {
  const { t, language, style, user } = frame
  const page = await html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Tillbridge</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
</head>
<body>
<a class="skip" href="#main">${t('layout.skip')}</a>
<header><div class="bar"><p class="brand">Tillbridge</p>${user ? searchBox(frame) : ''}</div>${user ? areas(frame, user.role) : ''}</header>
<main id="main">
<h1>${title}</h1>
${doneBox(frame)}
${body}
</main>
<footer>${user ? signedIn(frame, user) : ''}${languages(frame)}</footer>
</body>
</html>
`
  return page.toString()
}

function searchBox({ t }: Frame): Html {
  return html`<form class="search" role="search" method="get" action="/console/search"><label><span class="heard">${t('search.what')}</span><input type="search" name="q" required minlength="2" maxlength="200" placeholder="${t('search.what')}"></label><button>${t('search.button')}</button></form>`
}

function areas({ t, path: here }: Frame, role: Role): Html {
  const shown = AREAS.filter(([path]) => mayDo(role, `GET ${path}`))
  const isHere = (path: string) => here === path || (path !== '/' && here.startsWith(`${path}/`))
  return html`<nav aria-label="${t('layout.areas')}"><ul>${shown.map(
    ([path, words]) =>
      html`<li><a href="/console${path}"${isHere(path) ? html` aria-current="page"` : ''}>${t(words)}</a></li>`,
  )}</ul></nav>`
}

function doneBox({ t, done }: Frame): Html {
  if (done === null) return NOTHING
  const { action, changed, refused, id } = done
  const words = refused ?? t('done.changed', { n: changed, action, id })
  return html`<div class="said ${refused === null ? 'good' : 'bad'}" role="status"><p>${words}</p></div>`
}

function signedIn({ t, zone, now, language }: Frame, { name, role, token }: NonNullable<Frame['user']>): Html {
  const at = { zone: zone ?? 'UTC', now, language }
  return html`<p>${t('layout.as', { name, role: t(`role.${role}`) })}</p>
<form method="post" action="/console/sign-out"><input type="hidden" name="token" value="${token}"><button class="plain">${t('layout.sign-out')}</button></form>
<p>${t('layout.zone', { zone: at.zone })} ${t('layout.read-at')} ${time(at, now)}</p>`
}

function languages({ t, language, here }: Frame): Html {
  return html`<form method="post" action="/console/language" class="languages" aria-label="${t('layout.language')}"><input type="hidden" name="to" value="${here}">${LANGUAGES.map(
    ([one, words]) =>
      html`<button class="plain" name="language" value="${one}" lang="${one}"${one === language ? html` aria-current="true"` : ''}>${words}</button>`,
  )}</form>`
}
