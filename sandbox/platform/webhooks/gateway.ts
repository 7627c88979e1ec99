import express, { type NextFunction, type Request, type Response, Router } from 'express'
import { refuse } from '../refusal.ts'

/** The keys that every call must bring (spec, Authentication 2; for the other endpoints taken over from there). */
export interface Keys {
  /** `x-api-key`, of the integration user. */
  apiKey: string
  /** `Ocp-Apim-Subscription-Key`, of the company. */
  subscriptionKey: string
}

/** "At most 2 MB per request" (spec, Limits 1), in its narrow reading. */
const LIMIT = 2_000_000

/** The gateway before the whole API: both keys are asked for, and bodies of more than 2 MB refused with the reason. */
export function createGateway(keys: Keys): Router {
  const router = Router()
  router.use(['/api', '/odata'], requireKeys(keys), express.json({ limit: LIMIT }))
  router.use((error: unknown, _: Request, response: Response, next: NextFunction) => {
    const tooLarge = error instanceof Error && 'status' in error && error.status === 413
    if (tooLarge) refuse(response, 413, `The body has more than ${LIMIT} bytes (2 MB): split it into several calls.`)
    else next(error)
  })
  return router
}

/** Lets nobody through without both keys. It says so as the gateway of Azure does, which knows the second one only. */
function requireKeys(keys: Keys) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const complaint = complaintOf(request, keys)
    if (complaint === null) next()
    else refuse(response.set('WWW-Authenticate', CHALLENGE), 401, `Access denied due to ${complaint}`)
  }
}

const CHALLENGE = 'AzureApiManagementKey realm="sandbox",name="Ocp-Apim-Subscription-Key",type="header"'

function complaintOf(request: Request, { apiKey, subscriptionKey }: Keys): string | null {
  const given = request.get('ocp-apim-subscription-key')
  if (given === undefined)
    return 'missing subscription key. Make sure to include subscription key when making requests to an API.'
  if (given !== subscriptionKey)
    return 'invalid subscription key. Make sure to provide a valid key for an active subscription.'
  return request.get('x-api-key') === apiKey ? null : 'missing or invalid API key.'
}
