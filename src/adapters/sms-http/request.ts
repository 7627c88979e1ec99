import { type HttpRequest, USER_AGENT } from '../../lib/http/http.ts'
import { fillBody, parseBody } from './body.ts'
import type { SmsHttpOptions } from './options.ts'
import { escapeUrl, fillTemplate, namesIn, parseTemplate } from './template.ts'

const CONTENT_TYPE = { json: 'application/json', form: 'application/x-www-form-urlencoded' }

/** Makes the request for one message of its values, by name. */
export type RequestMaker = (values: Readonly<Record<string, string>>) => HttpRequest

/** Takes the options apart once, so that a message only fills them. */
export function createRequestMaker({ url, method, headers = {}, type, body: written }: SmsHttpOptions): RequestMaker {
  const { origin, pathname, search } = new URL(url)
  const query = parseTemplate(bracesOf(search))
  const body = written === undefined ? null : parseBody(written, type)
  const all: Record<string, string> = {
    accept: 'application/json',
    'user-agent': USER_AGENT,
    ...(body && { 'content-type': CONTENT_TYPE[type] }),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  }
  return (values) => ({
    method,
    origin,
    path: pathname + fillTemplate(query, values, escapeUrl),
    headers: all,
    body: body && Buffer.from(fillBody(body, values)),
  })
}

/** The secrets by the names that placeholders give them. */
export function secretsOf({ secrets = {} }: SmsHttpOptions): [name: string, value: string][] {
  return Object.entries(secrets).map(([name, value]) => [`secrets.${name}`, value])
}

/** Every name that a placeholder of the request has. */
export function namesOf({ url, body, type }: SmsHttpOptions): string[] {
  const ofBody = body === undefined ? null : parseBody(body, type)
  return [parseTemplate(url), ofBody?.template ?? []].flatMap(namesIn)
}

/** Texts in the options that must not be shown: header values, secrets, and the values of the URL's query. */
export function hiddenIn({ url, headers = {}, secrets = {} }: SmsHttpOptions): string[] {
  const { searchParams } = new URL(url)
  const ofQuery = [...searchParams.values()].filter((value) => !value.includes('{{'))
  return [...Object.values(headers), ...Object.values(secrets), ...ofQuery]
}

/** A URL writes the spaces within a placeholder as %20. */
function bracesOf(search: string): string {
  return search.replace(/\{\{(?:%20)*([\w.]+)(?:%20)*\}\}/g, '{{$1}}')
}
