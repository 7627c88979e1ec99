import { type Request, type Response, Router } from 'express'
import { answerOdataRefusal } from '../api/odata-api.ts'
import { nothingHere } from '../refusal.ts'
import type { Dialect } from './dialect.ts'
import { type Asked, type Operation, operationFor } from './operation.ts'

/** Takes the dialect's base off every path of the API; without it, there is nothing. It stands before everything that looks at paths. */
export function createBase({ base }: Pick<Dialect, 'base'>): Router {
  const router = Router()
  if (base === '') return router
  router.use((request, response, next) => {
    if (request.path.startsWith(`${base}/api/`)) request.url = request.url.slice(base.length)
    else if (/^\/api(\/|$)/i.test(request.path)) return nothingHere(request, response)
    next()
  })
  return router
}

/** Stands around the API behind it: what the dialect does not have is not there, and what it has is asked and answered its way. */
export function createDoor({ operations }: Pick<Dialect, 'operations'>): Router {
  const router = Router()
  if (operations === null) return router
  router.use(['/api', '/odata'], (request, response, next) => {
    const path = request.baseUrl + request.path
    const operation = operationFor(operations, request.method, path)
    if (!operation) return nothingHere(request, response)
    const asked = { path, query: request.query, body: request.body, headers: request.headers }
    const behind = operation.ask(asked)
    answerAs(operation, asked, response)
    rewrite(request, behind)
    next()
  })
  router.use('/odata', answerOdataRefusal)
  return router
}

/** The answer is written as the dialect has it; a refusal stays as it is. */
function answerAs({ answer }: Operation, asked: Asked, response: Response): void {
  const json = response.json.bind(response)
  response.json = (body: unknown) => {
    if (response.statusCode >= 300) return json(body)
    return answer === null ? response.end() : json(answer(body, asked))
  }
}

function rewrite(request: Request, { path, query, body, headers }: Asked): void {
  const written = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, String(one)]),
    ),
  )
  request.url = `${path.slice(request.baseUrl.length) || '/'}?${written}`
  request.body = body
  request.headers = headers as Request['headers']
}
