import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import { ipKeyGenerator, rateLimit } from 'express-rate-limit'
import { adminRoutes } from '../admin/admin.ts'
import type { AdminContext } from '../admin/context.ts'
import { createAsk } from '../admin/routes.ts'
import { DEFAULT_ADMIN } from '../config/config.ts'
import type { Role } from '../domain/role.ts'
import { type IndexedStore, presentOf } from '../domain/stores/store-index.ts'
import type { Instant } from '../domain/values/instant.ts'
import { toStoreLocal } from '../domain/values/store-time.ts'
import { problemOf } from '../http/problem.ts'
import { createTokenCheck, markAuthenticated } from '../http/refusals.ts'
import { answerSafely } from '../http/server.ts'
import { OWN_VERSION } from '../lib/own-version.ts'
import type { ActDetail, StoredConsoleUser } from '../storage/rows.ts'
import { type Html, html, NOTHING } from './html.ts'
import { destinations } from './pages/destinations.ts'
import { today } from './pages/today.ts'
import { said, time } from './parts.ts'
import { AREAS, type ConsoleRoute, mayDo, ROUTES } from './routes.ts'
import {
  cookieOf,
  createSessions,
  isAway,
  isSameOrigin,
  OIDC_CALLBACK,
  OIDC_START,
  OIDC_TIMEOUT_S,
  type Oidc,
  reasonsOf,
  type Session,
  type SessionTimes,
} from './sign-in.ts'
import { chooseLanguage, isLanguage, LANGUAGES, type Language, type Translate, translator } from './texts/texts.ts'
import type { Page, Visit } from './visit.ts'

/** Pages whose content comes again when it has changed. */
const LIVE = {
  '/today': { path: '/', page: today },
  '/destinations': { path: '/destinations', page: destinations },
} as const

const LANGUAGE = 'tillbridge-language'
const A_YEAR = 365 * 24 * 3_600

/** Wrong passwords of an address, or for a name, in a quarter of an hour. */
const MAX_WRONG = { address: 20, name: 10 }
const WINDOW_MS = 15 * 60_000

/** Script, pictures and style of its own. */
const CONTENT_SECURITY_POLICY = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'connect-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
  'base-uri': ["'none'"],
}

type ConsoleContext = AdminContext & {
  /** Where browsers reach it. */
  publicUrl: string | undefined
  times: SessionTimes
  /** Null: local users alone. */
  oidc: Oidc | null
  stopping: AbortSignal
}

/** Why nobody was signed in, as `sign-in.…`. */
type SignInFault = 'wrong' | 'too-often' | `oidc.${'away' | 'failed' | 'no-role' | 'disabled'}`

/** Pages for people, at /console: rendered here; a script keeps two of them live, and each works without it. */
export function createConsole(context: ConsoleContext): Express {
  const { config, storage, clock, publicUrl, times, oidc, logger, refused } = context
  const ask = createAsk(adminRoutes(context), context)
  const sessions = createSessions({ storage, clock, times, publicUrl })
  const files = { style: fileOf('style.css'), script: fileOf('live.js') }
  const sendLive = createLive(context.stopping)
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple')
  // `same-origin`: else browsers would hide the origin of a form.
  answerSafely(app, {
    contentSecurityPolicy: { useDefaults: false, directives: CONTENT_SECURITY_POLICY },
    referrerPolicy: { policy: 'same-origin' },
  })

  for (const { path, type, bytes } of Object.values(files))
    app.get(path, (_, response) => {
      response.set('Cache-Control', `public, max-age=${A_YEAR}, immutable`).type(type).send(bytes)
    })
  app.use(async (request, response, next) => {
    response.set('Cache-Control', 'no-store').set('Vary', 'Cookie, Accept-Language')
    if (request.method === 'GET' || request.method === 'HEAD' || isSameOrigin(request)) return next()
    refused('cross-site', request.ip, '/console')
    await send(request, response, null, refusal(request, 'refused.origin', 403))
  })
  app.use(express.urlencoded({ extended: false, limit: '64kb' }))

  const wrongOf = { address: limiterBy(addressOf, MAX_WRONG.address), name: limiterBy(nameOf, MAX_WRONG.name) }
  app.get('/sign-in', async (request, response) => {
    if (await sessions.find(request)) return response.redirect(303, '/console/')
    await sendSignIn(request, response, null)
  })
  app.post('/sign-in', wrongOf.address, wrongOf.name, async (request, response) => {
    const { name = '', password = '', to } = formOf(request)
    const session = await sessions.signIn(request, response, name.trim(), password.slice(0, 200))
    if (session !== null) {
      logger.info({ user: session.user.name }, 'console.signed-in')
      return response.redirect(303, `/console${withinConsole(to)}`)
    }
    refused('wrong-password', request.ip, '/console')
    await sendSignIn(request, response.status(401), 'wrong')
  })
  if (oidc !== null) addOidc(oidc)
  app.post('/language', (request, response) => {
    const { language = '', to } = formOf(request)
    if (isLanguage(language))
      response.append(
        'Set-Cookie',
        `${LANGUAGE}=${language}; Path=/console; Max-Age=${A_YEAR}; HttpOnly; SameSite=Strict`,
      )
    response.redirect(303, `/console${withinConsole(to)}`)
  })
  app.post('/sign-out', async (request, response) => {
    const session = await sessions.find(request)
    if (session !== null && isOfForm(request, session)) await sessions.signOut(request, response)
    response.redirect(303, '/console/sign-in')
  })

  for (const route of ROUTES) {
    const handle = (request: Request, response: Response) => answer(route, request, response)
    if (route.method === 'GET') app.get(route.path, handle)
    else app.post(route.path, handle)
  }
  for (const [path, of] of Object.entries(LIVE))
    app.get(`/live${path}`, (request, response) => live(of, request, response))
  app.use(async (request, response) => {
    const session = await sessions.find(request)
    const visit = session && (await visitOf(request, session))
    await send(request, response, visit, refusal(request, 'refused.nothing-here', 404))
  })
  app.use(showError)
  return app

  async function answer(route: ConsoleRoute, request: Request, response: Response): Promise<void> {
    const session = await sessions.find(request)
    if (session === null) return response.redirect(303, signInAddress(request))
    markAuthenticated(request, response, `user ${session.user.name}`)
    const visit = await visitOf(request, session)
    response.locals.visit = visit
    if (!route.roles.includes(session.user.role))
      return await send(request, response, visit, refusal(request, 'refused.role', 403))
    if (route.method === 'POST' && !isOfForm(request, session))
      return await send(request, response, visit, refusal(request, 'refused.token', 403))
    const shown = await route.answer(visit)
    if ('to' in shown) response.redirect(303, `/console${shown.to}`)
    else if ('file' in shown) response.attachment(shown.file).json(shown.json)
    else await send(request, response, visit, shown)
  }

  /** An open tab alone keeps no session alive. */
  async function live(of: (typeof LIVE)[keyof typeof LIVE], request: Request, response: Response): Promise<void> {
    const look = async () => {
      const session = await sessions.find(request, { isSeen: false })
      if (session === null || !mayDo(session.user.role, `GET ${of.path}`)) return null
      return await of.page({ ...(await visitOf(request, session)), here: of.path })
    }
    const first = await look()
    if (first === null) return void response.status(401).end()
    markAuthenticated(request, response, 'console')
    await sendLive(response, first, look)
  }

  async function visitOf(request: Request, { user, token }: Session): Promise<Visit> {
    const language = languageOf(request)
    const stores = presentOf(await storage.stores())
    const now = clock.now()
    const zone = zoneOf(stores, now)
    const actor = { by: user.name, role: user.role, address: request.ip ?? null }
    return {
      ...{ user, actor, token, language, t: translator(language, zone), stores, now, zone },
      params: request.params as Record<string, string>,
      query: textsOf(request.query),
      form: formOf(request),
      here: backOf(request),
      may: (wanted) => mayDo(user.role, wanted),
      async newestAct() {
        const [newest] = await storage.acts({ by: user.name, limit: 1 })
        return newest?.id ?? null
      },
      async noteReveal(selection) {
        await storage.noteAct({ ...actor, at: clock.now(), action: 'reveal', selection })
      },
      ask: (what, given) => ask(what, actor, given),
    }
  }

  async function send(request: Request, response: Response, visit: Visit | null, page: Page): Promise<void> {
    const frame = {
      ...{ language: languageOf(request), path: request.path, here: backOf(request), visit },
      style: `/console${files.style.path}`,
      script: `/console${files.script.path}`,
      done: visit && (await doneOf(request, visit)),
    }
    response
      .status(page.status ?? response.statusCode)
      .type('html')
      .send(await document(frame, page))
  }

  /** The act that led to this page, if it was this user's. */
  async function doneOf({ query }: Request, { user }: Visit): Promise<ActDetail | null> {
    const id = Number(query.done)
    const act = Number.isSafeInteger(id) && id > 0 ? await storage.act(id) : null
    return act?.by === user.name ? act : null
  }

  function addOidc(oidc: Oidc): void {
    const cookieName = (request: Request) => `${sessions.cookieName(request)}-oidc`
    const setCookie = (request: Request, response: Response, value: string, seconds: number) =>
      // Lax: it is to come along when the provider sends the browser back.
      sessions.setCookie(request, response, { name: cookieName(request), value, seconds, sameSite: 'Lax' })

    app.get(OIDC_START, async (request, response) => {
      const { url, sealed } = await oidc.start(withinConsole(textsOf(request.query).to))
      setCookie(request, response, sealed, OIDC_TIMEOUT_S)
      response.redirect(303, url)
    })

    app.get(OIDC_CALLBACK, wrongOf.address, async (request, response) => {
      const sealed = cookieOf(request, cookieName(request))
      setCookie(request, response, '', 0)
      const query = new URL(request.originalUrl, oidc.startUrl).search.slice(1)
      const { subject, names, role, to } = await oidc.complete(query, sealed)
      if (role === null) {
        await storage.closeConsoleSessionsOf(subject)
        return await refuse(request, response, 'oidc.no-role')
      }
      const user = await admit(subject, names, role)
      if (user === null || user.disabledAt !== null) return await refuse(request, response, 'oidc.disabled')
      await sessions.open(request, response, user)
      logger.info({ user: user.name }, 'console.signed-in')
      response.type('html').send(String(await forwardPage(languageOf(request), `/console${to}`)))
    })
    app.use(OIDC_START, failed)

    async function admit(subject: string, names: readonly string[], role: Role): Promise<StoredConsoleUser | null> {
      const at = clock.now()
      // The audit tells who has a token by name as well.
      const isHolder = (name: string) => name === DEFAULT_ADMIN || Object.hasOwn(config.server.admins, name)
      for (const name of [...names.filter((one) => !isHolder(one)), subject]) {
        const user = { name, role, password: '', createdAt: at, createdBy: 'oidc', disabledAt: null, subject }
        const act = { at, by: name, role, action: 'add-user', selection: { user: name, role, subject }, changed: 1 }
        const admitted = await storage.admitConsoleUser(user, act)
        if (admitted !== null) return admitted
      }
      return null
    }

    async function failed(error: unknown, request: Request, response: Response, _: NextFunction): Promise<void> {
      logger.warn({ why: reasonsOf(error) }, 'console.oidc-failed')
      if (isAway(error)) await sendSignIn(request, response.status(503), 'oidc.away')
      else await refuse(request, response, 'oidc.failed')
    }

    async function refuse(request: Request, response: Response, why: SignInFault): Promise<void> {
      refused('wrong-sign-in', request.ip, '/console')
      await sendSignIn(request, response.status(401), why)
    }
  }

  async function sendSignIn(request: Request, response: Response, wrong: SignInFault | null) {
    const hasUsers = oidc !== null || (await storage.consoleUsers()).length > 0
    const to = withinConsole(textsOf(request.query).to ?? formOf(request).to)
    await send(request, response, null, signInPage(request, { wrong, hasUsers, to, oidc }))
  }

  function limiterBy(keyGenerator: (request: Request) => string, limit: number) {
    return rateLimit({
      ...{
        windowMs: WINDOW_MS,
        limit,
        keyGenerator,
        standardHeaders: 'draft-8',
        legacyHeaders: false,
        validate: false,
      },
      skipSuccessfulRequests: true,
      requestWasSuccessful: (_, response) => response.statusCode !== 401,
      handler: (request, response) => {
        refused('too-many-wrong-passwords', request.ip, '/console')
        return sendSignIn(request, response.status(429), 'too-often')
      },
    })
  }

  function refusal(
    request: Request,
    what: 'refused.origin' | 'refused.token' | 'refused.role' | 'refused.nothing-here',
    status: number,
  ): Page {
    const t = translator(languageOf(request))
    return { title: t('refused.title'), body: html`<p>${t(what)}</p>`, status }
  }

  /** Express knows an error's handler by its four parameters. */
  function showError(error: unknown, request: Request, response: Response, next: NextFunction): void {
    if (response.headersSent) {
      next(error)
      return
    }
    const problem = problemOf(error)
    if (problem.code === 'internal-error') logger.error({ err: error, path: request.path }, 'console.failed')
    const t = translator(languageOf(request))
    const body = html`<p>${problem.detail ?? problem.title}</p>`
    const visit: Visit | null = response.locals.visit ?? null
    const title = problem.status === 404 ? t('refused.not-found') : t('refused.title')
    send(request, response, visit, { title, body, status: problem.status }).catch(next)
  }
}

/** Its address changes with it, so that browsers may keep it. */
function fileOf(name: string): { path: string; type: string; bytes: Buffer } {
  const bytes = readFileSync(join(import.meta.dirname, name))
  const [stem = '', type = ''] = name.split('.')
  return { path: `/${stem}-${hash('sha256', bytes).slice(0, 12)}.${type}`, type, bytes }
}

function addressOf({ ip }: Request): string {
  return ip === undefined ? 'unknown' : ipKeyGenerator(ip)
}

function nameOf(request: Request): string {
  return (formOf(request).name ?? '').trim().slice(0, 40)
}

function languageOf(request: Request) {
  return chooseLanguage(cookieOf(request, LANGUAGE), request.get('accept-language'))
}

/** Whether a form of this session was sent. */
function isOfForm(request: Request, { token }: Session): boolean {
  return createTokenCheck([token])(formOf(request).token)
}

function formOf({ body }: Request): Record<string, string> {
  return textsOf(body ?? {})
}

/** A field given twice counts once. */
function textsOf(fields: object): Record<string, string> {
  const texts = Object.entries(fields).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value])
  return Object.fromEntries(texts.filter(([, value]) => typeof value === 'string'))
}

/** That of the stores, where the clocks of all show the same. */
function zoneOf(stores: readonly IndexedStore[], now: Instant): string {
  const zones = stores.flatMap((store) => store.zone ?? [])
  const clocks = new Set(zones.map((zone) => toStoreLocal(now, zone)))
  return (clocks.size === 1 && zones[0]) || 'UTC'
}

/** This page; of an answer to a form, the page that had it. */
function backOf(request: Request): string {
  return request.method === 'POST' ? withinConsole(formOf(request).back) : hereOf(request)
}

function hereOf({ originalUrl }: Request): string {
  return withinConsole(originalUrl.replace(/^\/console/, ''))
}

/** An address below /console: never one of another site. */
function withinConsole(path: string | undefined): string {
  return path !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(path) && !path.includes('\\') ? path : '/'
}

function signInAddress(request: Request): string {
  const to = request.method === 'GET' ? hereOf(request) : '/'
  return `/console/sign-in${to === '/' ? '' : `?${new URLSearchParams({ to })}`}`
}

interface SignIn {
  wrong: SignInFault | null
  hasUsers: boolean
  oidc: Oidc | null
  /** Where to go on, below /console. */
  to: string
}

function signInPage(request: Request, { wrong, hasUsers, to, oidc }: SignIn): Page {
  const t = translator(languageOf(request))
  const { label = '', rolesClaim: claim = '' } = oidc?.config ?? {}
  const said = wrong && t(`sign-in.${wrong}`, { label, claim })
  const body = html`${said === null ? NOTHING : html`<div class="said bad" role="alert"><p>${said}</p></div>`}
${hasUsers ? NOTHING : html`<div class="said wait"><p>${t('sign-in.no-user')}</p><pre>npx tillbridge users add kari --role operator</pre></div>`}
${oidc === null ? NOTHING : html`<p><a href="${oidc.startUrl}?${new URLSearchParams({ to })}">${t('sign-in.oidc.button', { label })}</a></p>`}
<form class="sign-in" method="post" action="/console/sign-in">
<input type="hidden" name="to" value="${to}">
<label class="field"><span>${t('sign-in.name')}</span><input name="name" autocomplete="username" required maxlength="40"></label>
<label class="field"><span>${t('sign-in.password')}</span><input type="password" name="password" autocomplete="current-password" required maxlength="200"></label>
<button class="strong">${t('sign-in.button')}</button>
</form>`
  return { title: t('sign-in.title'), body }
}

/** Browsers send a strict cookie to no address that another site sent them to: this page, of this site, sends them on. */
function forwardPage(language: Language, to: string): Html {
  const t = translator(language)
  return html`<!doctype html>
<html lang="${language}"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${to}"><title>${t('sign-in.title')}</title><a href="${to}">${t('sign-in.oidc.go-on')}</a></html>
`
}

/** What stands around a page. */
interface Frame extends Pick<Visit, 'language' | 'here'> {
  /** Below /console, without its query. */
  path: string
  style: string
  script: string
  /** Null: nobody is signed in. */
  visit: Visit | null
  /** The act that led here. */
  done: ActDetail | null
}

async function document(frame: Frame, { title, body, live }: Page): Promise<string> {
  const { language, style, script, visit, path, done } = frame
  const t = translator(language)
  const page = await html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Tillbridge</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">${live ? html`\n<script src="${script}" defer></script>` : ''}
</head>
<body>
<a class="skip" href="#main">${t('layout.skip')}</a>
<header><div class="bar"><p class="brand">Tillbridge</p>${visit ? searchBox(visit) : ''}</div>${visit ? areas(visit, path) : ''}</header>
<main id="main">
<h1>${title}</h1>
${visit && done ? doneBox(visit, done) : NOTHING}
${live ? liveRegion(t, live, body) : body}
</main>
<footer>${visit ? signedIn(visit) : ''}${languages(frame)}</footer>
</body>
</html>
`
  return page.toString()
}

/** The script says since when the region is as it is. */
function liveRegion(t: Translate, live: string, body: Html): Html {
  const [before, after] = t('live.stale', { at: '|' }).split('|')
  return html`<p class="said wait" data-stale hidden role="status">${before}<span></span>${after}</p><div data-live="/console/live${live}">${body}</div>`
}

function searchBox({ t }: Visit): Html {
  return html`<form class="search" role="search" method="get" action="/console/search"><label><span class="heard">${t('search.what')}</span><input type="search" name="q" required minlength="2" maxlength="200" placeholder="${t('search.what')}"></label><button>${t('search.button')}</button></form>`
}

function areas({ t, may }: Visit, here: string): Html {
  const isHere = (path: string) => here === path || (path !== '/' && here.startsWith(`${path}/`))
  const lists = AREAS.map(
    (area) =>
      html`<ul>${area
        .filter(([path]) => may(`GET ${path}`))
        .map(
          ([path, words]) =>
            html`<li><a href="/console${path}"${isHere(path) ? html` aria-current="page"` : ''}>${t(words)}</a></li>`,
        )}</ul>`,
  )
  return html`<nav aria-label="${t('layout.areas')}">${lists}</nav>`
}

function doneBox({ t }: Visit, { action, changed, refused, id }: ActDetail): Html {
  const words = refused ?? t('done.changed', { n: changed, action, id })
  return html`<div role="status">${said(refused === null ? 'good' : 'bad', words)}</div>`
}

function signedIn(visit: Visit): Html {
  const { t, user, token, zone, now } = visit
  return html`<p>Tillbridge ${OWN_VERSION}</p>
<p>${t('layout.as', { name: user.name, role: t(`role.${user.role}`) })}</p>
<form method="post" action="/console/sign-out"><input type="hidden" name="token" value="${token}"><button class="plain">${t('layout.sign-out')}</button></form>
<p>${t('layout.zone', { zone })} ${t('layout.read-at')} ${time(visit, now)}</p>`
}

function languages({ language, here }: Frame): Html {
  return html`<form method="post" action="/console/language" class="languages" aria-label="${translator(language)('layout.language')}"><input type="hidden" name="to" value="${here}">${LANGUAGES.map(
    ([one, words]) =>
      html`<button class="plain" name="language" value="${one}" lang="${one}"${one === language ? html` aria-current="true"` : ''}>${words}</button>`,
  )}</form>`
}

/** Between two looks (ms). */
const EVERY = 5_000
/** The browser asks again after it: a reload of the config is not held up for long (ms). */
const LONGEST = 60_000
/** Of all tabs together; a browser asks again later. */
const MOST = 100

/** What changes by itself, and is no change. */
const AGES = /<time[^<>]*>[^<]*<\/time>/g

/** Sends a page's content as server-sent events: when it has changed, else a sign of life. `look`: null when the session is over. */
function createLive(stopping: AbortSignal) {
  let open = 0

  return async (response: Response, first: Page, look: () => Promise<Page | null>): Promise<void> => {
    if (open >= MOST || stopping.aborted) {
      response.status(503).set('Retry-After', '30').end()
      return
    }
    open += 1
    const closed = new AbortController()
    response.on('close', () => closed.abort())
    const signal = AbortSignal.any([stopping, closed.signal, AbortSignal.timeout(LONGEST)])
    response.status(200).set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' }).flushHeaders()
    try {
      let before = ''
      let page: Page | null = first
      while (page !== null) {
        const body = String(await page.body)
        const content = body.replace(AGES, '')
        if (content === before) response.write('event: same\ndata:\n\n')
        else response.write(`event: page\ndata: ${JSON.stringify(body)}\n\n`)
        before = content
        await sleep(EVERY, undefined, { signal }).catch(() => {})
        page = signal.aborted ? null : await look()
      }
    } finally {
      open -= 1
      response.end()
    }
  }
}
