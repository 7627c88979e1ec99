import express, { type Request, type RequestHandler, type Response } from 'express'
import type { Act } from './act.ts'
import type { createAuthentication } from './authentication.ts'
import { HungUp, type Script, type Turn, Unavailable } from './faults.ts'
import { RestError } from './rest-error.ts'

/** One call of the API, after WordPress has let it through. */
export interface Call {
  /** The id in the path; 0 where it has none. */
  id: number
  /** The whole URL. */
  url: URL
  query: Record<string, unknown>
  /** Parameters of the body over those of the query. */
  parameters: Record<string, unknown>
  turn: Turn
}

export interface Answer {
  status?: number
  headers?: Record<string, string>
  body: unknown
}

/** A route of the API: reads its parameters (and may refuse them), then says what to do with them. */
export interface Route {
  act: Act
  /** Not every role may (`promote_users`). */
  makesUsers?: boolean
  /** Throws RestError for wrong parameters; what it returns runs when the caller is known to be allowed. */
  prepare(call: Call): () => Answer | Promise<Answer>
}

interface Means {
  base: () => string
  authentication: ReturnType<typeof createAuthentication>
  script: Script
  /** What plugins make of a document before it is sent. */
  plugin: Plugin
}

/** Changes documents as plugins do by the filters `woocommerce_rest_prepare_…`. */
export type Plugin = (document: Record<string, unknown>) => unknown

const JSON_TYPE = { 'Content-Type': 'application/json; charset=UTF-8' }

/** Reads every body as text: what WordPress does with it depends on its type. 8 MB is what PHP takes by default. */
export const readBody: RequestHandler = express.text({ type: () => true, limit: '8mb' })

/**
 * Serves a route the way WordPress does, in its order: who asks (a wrong secret), then the body's JSON, the parameters,
 * then whether they may, then the work.
 */
export function createServe({ base, authentication, script, plugin }: Means) {
  return (route: Route): RequestHandler =>
    async (request, response) => {
      await answerWith(response, async () => {
        const turn = script.begin(request.method)
        await turn.start()
        const url = new URL(request.originalUrl, base())
        const known = authentication.identify(request, url.searchParams)
        const query = phpQuery(url.searchParams)
        const parameters = { ...query, ...bodyParameters(request) }
        const work = route.prepare({ id: Number(request.params.id ?? 0), url, query, parameters, turn })
        authentication.allow(known, route)
        const answer = prepared(await work(), plugin)
        if ((await turn.answer()) === 'whole') return answer
        await breakOff(response, answer)
        throw new HungUp()
      })
    }
}

/** A list is changed item by item. */
function prepared(answer: Answer, plugin: Plugin): Answer {
  const { body } = answer
  const change = (one: unknown) => (typeof one === 'object' && one !== null ? plugin({ ...one }) : one)
  return { ...answer, body: Array.isArray(body) ? body.map(change) : change(body) }
}

/** No route fits: WordPress's 404, but after it looked at the key. */
export function createNoRoute({ base, authentication, script }: Omit<Means, 'plugin'>): RequestHandler {
  return async (request, response) => {
    await answerWith(response, async () => {
      await script.begin(request.method).start()
      authentication.identify(request, new URL(request.originalUrl, base()).searchParams)
      const message = 'No route was found matching the URL and request method.'
      throw new RestError(404, 'rest_no_route', message)
    })
  }
}

async function answerWith(response: Response, work: () => Promise<Answer>): Promise<void> {
  try {
    const { status = 200, headers = {}, body } = await work()
    send(response, status, headers, body)
  } catch (error) {
    if (error instanceof HungUp) response.destroy()
    else if (error instanceof Unavailable) response.status(503).send('<h1>503 Service Temporarily Unavailable</h1>')
    else if (error instanceof RestError) send(response, error.status, {}, error)
    else throw error
  }
}

function send(response: Response, status: number, headers: Record<string, string>, body: unknown): void {
  response.writeHead(status, { ...headers, ...JSON_TYPE }).end(JSON.stringify(body))
}

/** Sends the first half of an answer. */
async function breakOff(response: Response, { status = 200, headers = {}, body }: Answer): Promise<void> {
  const text = JSON.stringify(body)
  response.writeHead(status, { ...headers, ...JSON_TYPE })
  await new Promise((sent) => response.write(text.slice(0, text.length / 2), sent))
}

/** `a[]=1&a[]=2` is a list, of `a=1&a=2` the last one counts. */
function phpQuery(given: URLSearchParams): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const [name, value] of given) {
    const list = /^(.+)\[\d*\]$/.exec(name)?.[1]
    if (list === undefined) query[name] = value
    else query[list] = [...(Array.isArray(query[list]) ? query[list] : []), value]
  }
  return query
}

/** A body that is not called JSON has no JSON in it, for WordPress: an order sent so is created empty. */
function bodyParameters(request: Request): Record<string, unknown> {
  const text = typeof request.body === 'string' ? request.body : ''
  if (request.is('application/x-www-form-urlencoded')) return phpQuery(new URLSearchParams(text))
  if (!request.is(['application/json', 'application/*+json']) || text === '') return {}
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? { ...body } : {}
  } catch {
    const data = { json_error_code: 4, json_error_message: 'Syntax error' }
    throw new RestError(400, 'rest_invalid_json', 'Invalid JSON body passed.', data)
  }
}
