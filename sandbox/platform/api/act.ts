import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import { Refusal } from '../refusal.ts'

/** Does what a request asks for: a form goes back to the page; a script gets JSON. */
export function act<Asked>(schema: z.ZodType<Asked>, run: (asked: Asked) => object): RequestHandler {
  return (request: Request, response: Response) => {
    const isForm = Boolean(request.is('urlencoded'))
    const asked = schema.safeParse(isForm ? withoutBlanks(request.body) : (request.body ?? {}))
    if (!asked.success) throw new Refusal(400, z.prettifyError(asked.error))
    const done = run(asked.data)
    if (isForm) response.redirect(303, '/')
    else response.json(done)
  }
}

/** A field of a form that nobody filled in says nothing. */
function withoutBlanks(body: unknown): object {
  return Object.fromEntries(Object.entries(body ?? {}).filter(([, value]) => value !== ''))
}
