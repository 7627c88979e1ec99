import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import { ipKeyGenerator, rateLimit } from 'express-rate-limit'
import { adminRoutes } from '../admin/admin.ts'
import type { AdminContext } from '../admin/context.ts'
import { createAsk } from '../admin/routes.ts'
import { type IndexedStore, presentOf } from '../domain/stores/store-index.ts'
import { problemOf } from '../http/problem.ts'
import { createTokenCheck, markAuthenticated } from '../http/refusals.ts'
import { answerSafely } from '../http/server.ts'
import { html } from './html.ts'
import { document, type Frame } from './layout.ts'
import { signInPage } from './pages/sign-in.ts'
import { type ConsoleRoute, mayDo, ROUTES } from './routes.ts'
import { cookieOf, createSessions, isSameOrigin, type Session, type SessionTimes } from './sessions.ts'
import { chooseLanguage, isLanguage, translator } from './texts/texts.ts'
import type { Shown, Visit } from './visit.ts'

const LANGUAGE = 'tillbridge-language'
const A_YEAR = 365 * 24 * 3_600

/** Wrong passwords of an address, or for a name, in a quarter of an hour. */
const MAX_WRONG = { address: 20, name: 10 }
const WINDOW_MS = 15 * 60_000

/** No script at all; pictures and style of its own. */
const CONTENT_SECURITY_POLICY = {
  'default-src': ["'none'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
  'base-uri': ["'none'"],
}

const STYLE = readFileSync(join(import.meta.dirname, 'style.css'))
/** Its address changes with it, so that browsers may keep it. */
const STYLE_PATH = `/style-${hash('sha256', STYLE).slice(0, 12)}.css`

type ConsoleContext = AdminContext & { times: SessionTimes }

/** Pages for people, at /console: rendered here, without a script. */
export function createConsole(context: ConsoleContext): Express {
  const { storage, clock, config, times, logger, refused } = context
  const { publicUrl } = config.server
  const ask = createAsk(adminRoutes(context), context)
  const sessions = createSessions({ storage, clock, times, publicUrl })
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple')
  // `same-origin`: else browsers would hide the origin of a form.
  answerSafely(app, {
    contentSecurityPolicy: { useDefaults: false, directives: CONTENT_SECURITY_POLICY },
    referrerPolicy: { policy: 'same-origin' },
  })

  app.get(STYLE_PATH, (_, response) => {
    response.set('Cache-Control', `public, max-age=${A_YEAR}, immutable`).type('css').send(STYLE)
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
    await sendSignIn(request, response.status(401), 'sign-in.wrong')
  })
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
  app.use(async (request, response) => {
    const session = await sessions.find(request)
    await send(request, response, session, refusal(request, 'refused.nothing-here', 404))
  })
  app.use(showError)
  return app

  async function answer(route: ConsoleRoute, request: Request, response: Response): Promise<void> {
    const session = await sessions.find(request)
    if (session === null) return response.redirect(303, signInAddress(request))
    markAuthenticated(request, response, `user ${session.user.name}`)
    response.locals.session = session
    if (!route.roles.includes(session.user.role))
      return await send(request, response, session, refusal(request, 'refused.role', 403))
    if (route.method === 'POST' && !isOfForm(request, session))
      return await send(request, response, session, refusal(request, 'refused.token', 403))
    const shown = await route.answer(await visitOf(request, session))
    if ('to' in shown) response.redirect(303, `/console${shown.to}`)
    else await send(request, response, session, shown)
  }

  async function visitOf(request: Request, { user, token }: Session): Promise<Visit> {
    const language = languageOf(request)
    const stores = presentOf(await storage.stores())
    const actor = { by: user.name, role: user.role, address: request.ip ?? null }
    return {
      ...{ user, actor, token, language, t: translator(language), stores, now: clock.now(), zone: zoneOf(stores) },
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

  async function send(
    request: Request,
    response: Response,
    session: Session | null,
    page: Exclude<Shown, { to: string }>,
  ) {
    const language = languageOf(request)
    const frame: Frame = {
      ...{
        language,
        t: translator(language),
        path: request.path,
        here: backOf(request),
        style: `/console${STYLE_PATH}`,
      },
      user: session && { ...session.user, token: session.token },
      zone: session && zoneOf(presentOf(await storage.stores())),
      now: clock.now(),
      done: session === null ? null : await doneOf(request, session),
    }
    response
      .status(page.status ?? response.statusCode)
      .type('html')
      .send(await document(frame, page))
  }

  /** The act that led to this page, if it was this user's. */
  async function doneOf({ query }: Request, { user }: Session) {
    const id = Number(query.done)
    const act = Number.isSafeInteger(id) && id > 0 ? await storage.act(id) : null
    return act?.by === user.name ? act : null
  }

  async function sendSignIn(request: Request, response: Response, wrong: 'sign-in.wrong' | 'sign-in.too-often' | null) {
    const t = translator(languageOf(request))
    const hasUsers = (await storage.consoleUsers()).length > 0
    await send(
      request,
      response,
      null,
      signInPage({ t, wrong, hasUsers, to: withinConsole(textsOf(request.query).to ?? formOf(request).to) }),
    )
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
        return sendSignIn(request, response.status(429), 'sign-in.too-often')
      },
    })
  }

  function refusal(
    request: Request,
    what: 'refused.origin' | 'refused.token' | 'refused.role' | 'refused.nothing-here',
    status: number,
  ) {
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
    const session: Session | null = response.locals.session ?? null
    const title = problem.status === 404 ? t('refused.not-found') : t('refused.title')
    send(request, response, session, { title, body, status: problem.status }).catch(next)
  }
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

/** That of the stores, where all have one. */
function zoneOf(stores: readonly IndexedStore[]): string {
  const zones = new Set(stores.flatMap((store) => store.zone ?? []))
  const [only] = zones
  return zones.size === 1 && only !== undefined ? only : 'UTC'
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
