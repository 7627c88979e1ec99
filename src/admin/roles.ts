import { BOOKING, HELPING, OPERATING, ROLES, type Role, RULING } from '../domain/role.ts'
import { type ProblemError, refusal } from '../http/problem.ts'

/** Below /admin, where it is not as usual: all may read, operators may act. */
const OTHERWISE: Readonly<Record<string, readonly Role[]>> = {
  // Payloads and what is said of people.
  'GET /events/:id': HELPING,
  'GET /orders/:number': HELPING,
  'GET /submissions/:id': HELPING,
  'POST /people/find': HELPING,
  'GET /settlements/:delivery/posting': BOOKING,
  'POST /deliveries/retry': HELPING,
  'POST /deliveries/:id/send-again': HELPING,
  'POST /acts/:id/cancel': HELPING,
  'GET /audit': OPERATING,
  'GET /audit/:id': OPERATING,
  'GET /audit/verify': OPERATING,
  'GET /config': OPERATING,
  'GET /subscriptions': OPERATING,
  'POST /people/export': RULING,
  'POST /people/erase': RULING,
  'POST /people/repeat': RULING,
  'POST /people/archived': RULING,
  'GET /keys': RULING,
  'POST /keys': RULING,
  'POST /keys/:id/revoke': RULING,
  'GET /users': RULING,
  'POST /users': RULING,
  'POST /users/:name/password': RULING,
  'POST /users/:name/disable': RULING,
}

interface Asked {
  method: 'get' | 'post'
  /** As its route is written: `/deliveries/:id`. */
  path: string
}

/** Who may ask it with a token of theirs. */
export function rolesOf({ method, path }: Asked): readonly Role[] {
  return OTHERWISE[`${method.toUpperCase()} ${path}`] ?? (method === 'get' ? ROLES : OPERATING)
}

/** Null: this role may. `given`: query or body. */
export function refusalOf(route: Asked, role: Role, given: unknown): ProblemError | null {
  const reveals = typeof given === 'object' && given !== null && 'reveal' in given && given.reveal !== undefined
  const may = rolesOf(route).filter((one) => !reveals || HELPING.includes(one))
  if (may.includes(role)) return null
  const what = `${route.method.toUpperCase()} /admin${route.path}${reveals ? ' with personal data' : ''}`
  return refusal(
    'role-may-not',
    `A token of the role ${role} may not ask ${what}: ${may.join(', ')} may (server.admins).`,
  )
}
