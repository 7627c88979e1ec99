import { ROLES as ALL, BOOKING, HELPING, OPERATING, type Role, RULING } from '../domain/role.ts'
import { addUser, createKey, disableUser, keys, newPassword, revokeKey, users } from './pages/access.ts'
import {
  auditEntry,
  auditList,
  bulkAct,
  bulkActs,
  cancel,
  dismiss,
  explain,
  release,
  retry,
  skip,
} from './pages/acts.ts'
import { completeness, gap, gaps } from './pages/completeness.ts'
import { deliveries, delivery, files, filesAgain, revealDelivery, sendAgain } from './pages/deliveries.ts'
import { destinations, pause, probe, resume } from './pages/destinations.ts'
import { event, events, revealEvent, submission, submissions } from './pages/events.ts'
import { checkConfig, config, job, jobs, reload, runJob, subscriptions } from './pages/operations.ts'
import { order, revealFound, search } from './pages/order-and-search.ts'
import { erase, exportPerson, findPerson, people } from './pages/people.ts'
import { releaseSettlement, settlement, settlements } from './pages/settlements.ts'
import { approve, products, stock, store, stores } from './pages/stores.ts'
import { failures, today } from './pages/today.ts'
import type { TextKey } from './texts/texts.ts'
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
  post('/deliveries/:id/send-again', HELPING, 'Send a message again', sendAgain),
  get('/destinations', ALL, 'Destinations', destinations),
  get('/submissions', ALL, 'Submissions', submissions),
  get('/submissions/:id', ALL, 'A submission', submission),
  get('/stores', ALL, 'Stores', stores),
  get('/stores/:id', ALL, 'A store', store),
  get('/completeness', ALL, 'Completeness', completeness),
  get('/gaps', ALL, 'Gaps', gaps),
  get('/gaps/:id', ALL, 'A gap', gap),
  get('/settlements', ALL, 'Settlements', settlements),
  get('/settlements/:id', ALL, "A settlement's posting", settlement),
  get('/stock', ALL, 'Stock differences', stock),
  get('/products', ALL, 'Products', products),
  get('/jobs', ALL, 'Jobs', jobs),
  get('/jobs/:name', ALL, 'A job', job),
  get('/acts', ALL, 'Acts on all that a filter finds', bulkActs),
  get('/acts/:id', ALL, 'How far such an act is', bulkAct),
  post('/acts/retry', HELPING, 'Retry', retry),
  post('/settlements/:id/release', BOOKING, 'Release a settlement', releaseSettlement),
  post('/acts/release', OPERATING, 'Release', release),
  post('/acts/skip', OPERATING, 'Skip', skip),
  post('/acts/dismiss', OPERATING, 'Dismiss events', dismiss),
  post('/acts/explain', OPERATING, 'Explain gaps', explain),
  post('/acts/:id/cancel', HELPING, 'Cancel it', cancel),
  post('/stock/approve', OPERATING, 'Approve corrections of stock', approve),
  post('/destinations/:name/pause', OPERATING, 'Pause', pause),
  post('/destinations/:name/resume', OPERATING, 'Resume', resume),
  post('/destinations/:name/probe', OPERATING, 'Probe', probe),
  post('/jobs/:name/run', OPERATING, 'Run a job', runJob),
  get('/files', OPERATING, 'Files again', files),
  post('/files/again', OPERATING, 'Write files again', filesAgain),
  get('/subscriptions', OPERATING, 'Subscriptions', subscriptions),
  get('/config', OPERATING, 'The config, secrets masked', config),
  post('/config/check', OPERATING, 'Check the config file', checkConfig),
  post('/config/reload', OPERATING, 'Reload the config', reload),
  get('/audit', OPERATING, 'The audit', auditList),
  get('/audit/:id', OPERATING, 'An entry of the audit', auditEntry),
  get('/people', HELPING, 'Data subjects', people),
  post('/people/find', HELPING, 'What is here of a data subject, masked', findPerson),
  post('/people/export', RULING, 'Export a data subject', exportPerson),
  post('/people/erase', RULING, 'Erase a data subject', erase),
  get('/keys', RULING, 'API keys', keys),
  post('/keys', RULING, 'Create an API key', createKey),
  post('/keys/:id/revoke', RULING, 'Revoke an API key', revokeKey),
  get('/users', RULING, 'Users', users),
  post('/users', RULING, 'Add a user', addUser),
  post('/users/:name/password', RULING, 'A new password', newPassword),
  post('/users/:name/disable', RULING, 'Shut a user out', disableUser),
]

/** The menu: what is under way, what the business asks, the hub itself. */
export const AREAS: readonly (readonly (readonly [path: `/${string}`, words: TextKey])[])[] = [
  [
    ['/', 'today.title'],
    ['/failures', 'failures.title'],
    ['/destinations', 'destinations.title'],
    ['/events', 'events.title'],
    ['/deliveries', 'deliveries.title'],
    ['/submissions', 'submissions.title'],
    ['/acts', 'acts.bulk'],
  ],
  [
    ['/stores', 'stores.title'],
    ['/completeness', 'completeness.title'],
    ['/settlements', 'settlements.title'],
    ['/stock', 'stock.title'],
    ['/products', 'products.title'],
    ['/people', 'people.title'],
  ],
  [
    ['/jobs', 'jobs.title'],
    ['/files', 'files.title'],
    ['/subscriptions', 'subscriptions.title'],
    ['/config', 'config.title'],
    ['/audit', 'audit.title'],
    ['/keys', 'keys.title'],
    ['/users', 'users.title'],
  ],
]

function get(path: string, roles: readonly Role[], what: string, answer: Answer): ConsoleRoute {
  return { method: 'GET', path, roles, what, answer }
}

function post(path: string, roles: readonly Role[], what: string, answer: Answer): ConsoleRoute {
  return { method: 'POST', path, roles, what, answer }
}

const ROLES_OF = new Map(ROUTES.map(({ method, path, roles }) => [`${method} ${path}`, roles]))

/** `POST /acts/skip` */
export function mayDo(role: Role, route: string): boolean {
  return ROLES_OF.get(route)?.includes(role) === true
}
