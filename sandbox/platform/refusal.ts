import type { NextFunction, Request, Response } from 'express'

/** The person or the program asked for something that the platform or its POS does not do. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Says no, in the shape of the platform's gateway (what the platform itself answers is not shown: spec, Errors 2). */
export function refuse(response: Response, statusCode: number, message: string): void {
  response.status(statusCode).json({ statusCode, message })
}

/** For paths that do not exist. */
export function nothingHere(_: Request, response: Response): void {
  refuse(response, 404, 'Resource not found')
}

/** Answers refusals, and requests that nobody can read; what is our own fault goes to Express, which shows it. */
export function answerRefusal(error: unknown, _: Request, response: Response, next: NextFunction): void {
  if (error instanceof Refusal) refuse(response, error.status, error.message)
  else if (isUnreadable(error)) refuse(response, 400, 'The request cannot be read.')
  else next(error)
}

/** Express and its body parsers say by a status that the request is at fault: no JSON, no path, too large. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && 'status' in error && Number(error.status) < 500
}
