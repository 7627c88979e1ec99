import { ROLES, type Role } from '../domain/role.ts'
import { dismiss, release, retry, runJob, skip } from './pages/acts.ts'
import { auditEntry, auditList } from './pages/audit.ts'
import { deliveries, delivery, revealDelivery } from './pages/deliveries.ts'
import { destinations, pause, probe, resume } from './pages/destinations.ts'
import { event, events, revealEvent } from './pages/events.ts'
import { failures } from './pages/failures.ts'
import { order } from './pages/order.ts'
import { revealFound, search } from './pages/search.ts'
import { today } from './pages/today.ts'
import type { Answer } from './visit.ts'

/** Below /console. */
export interface ConsoleRoute {
  method: 'GET' | 'POST'
  path: string
  /** Who may; everybody else gets 403. */
  roles: readonly Role[]
  what: string
  answer: Answer
}

const ALL = ROLES
const HELPING = ['support', 'operator', 'admin'] as const
const OPERATING = ['operator', 'admin'] as const

/** The router, its test and the table of docs/console.md are made of this. */
export const ROUTES: readonly ConsoleRoute[] = [
  get('/', ALL, 'What needs somebody, completeness, queues', today),
  get('/search', ALL, 'Search, masked', search),
  post('/search/reveal', HELPING, 'Search, with names and addresses', revealFound),
  get('/orders/:number', ALL, 'An order', order),
  get('/failures', ALL, 'What failed, by cause', failures),
  get('/events', ALL, 'Events', events),
  get('/events/:id', ALL, 'An event, masked', event),
  post('/events/:id/reveal', HELPING, 'An event with personal data', revealEvent),
  get('/deliveries', ALL, 'Deliveries', deliveries),
  get('/deliveries/:id', ALL, 'A delivery, masked', delivery),
  post('/deliveries/:id/reveal', HELPING, 'A delivery with personal data', revealDelivery),
  get('/destinations', ALL, 'Destinations', destinations),
  post('/acts/retry', HELPING, 'Retry', retry),
  post('/acts/release', OPERATING, 'Release', release),
  post('/acts/skip', OPERATING, 'Skip', skip),
  post('/acts/dismiss', OPERATING, 'Dismiss events', dismiss),
  post('/destinations/:name/pause', OPERATING, 'Pause', pause),
  post('/destinations/:name/resume', OPERATING, 'Resume', resume),
  post('/destinations/:name/probe', OPERATING, 'Probe', probe),
  post('/jobs/:name/run', OPERATING, 'Run a job', runJob),
  get('/audit', OPERATING, 'The audit', auditList),
  get('/audit/:id', OPERATING, 'An entry of the audit', auditEntry),
]

function get(path: string, roles: readonly Role[], what: string, answer: Answer): ConsoleRoute {
  return { method: 'GET', path, roles, what, answer }
}

function post(path: string, roles: readonly Role[], what: string, answer: Answer): ConsoleRoute {
  return { method: 'POST', path, roles, what, answer }
}

/** `POST /acts/skip` */
export function mayDo(role: Role, route: string): boolean {
  return ROUTES.some(({ method, path, roles }) => route === `${method} ${path}` && roles.includes(role))
}
