import type { Link } from '../orders/link.ts'
import { HeldError, PermanentError, RetryLaterError, UnknownOutcomeError, WaitError } from '../values/errors.ts'
import type { Instant } from '../values/instant.ts'
import { type OpenCircuit, OUTAGE_ALARM } from './queue-key.ts'
import { ALONE_LIFETIME } from './retry.ts'

/** Outcome of an attempt. `cut`: by its timeout; destination or payload may hang. */
export type Outcome =
  | { type: 'delivered'; links: Link[]; note: string | null; partly?: true }
  | { type: 'superseded'; code: string; why: string }
  | {
      type: 'retry'
      scope: 'item' | 'destination'
      notBefore: Instant | null
      code: string
      why: string
      cut?: true
      mayBeWide?: true
    }
  | { type: 'dead'; code: string; why: string; mayBeWide?: true }
  | { type: 'wait'; until: Instant; code: string; why: string }
  | { type: 'held'; code: string; why: string }
  /** `byHand`: only an operator can find out. `because`: what kept the hub from it. */
  | { type: 'unknown'; code: string; why: string; byHand?: boolean; because?: string; cut?: true; mayBeWide?: true }

/** Classifies errors for worker, jobs and lookups. An unclassified error leaves the effect unknown. */
export function outcomeOf(error: unknown): Outcome {
  if (error instanceof PermanentError) return { type: 'dead', code: error.code, why: error.message, ...wide(error) }
  if (error instanceof HeldError) return { type: 'held', code: error.code, why: error.message }
  if (error instanceof WaitError) return { type: 'wait', until: error.until, code: error.code, why: error.message }
  if (error instanceof RetryLaterError) {
    const { scope, notBefore, code, message } = error
    return { type: 'retry', scope, notBefore, code, why: message, ...wide(error) }
  }
  if (error instanceof UnknownOutcomeError) {
    const { code, message, byHand, because } = error
    const known = { ...(byHand && { byHand }), ...(because !== null && { because }), ...wide(error) }
    return { type: 'unknown', code, why: message, ...known }
  }
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { type: 'unknown', code: 'unexpected-error', why }
}

function wide({ mayBeWide }: { mayBeWide: boolean }): { mayBeWide?: true } {
  return mayBeWide ? { mayBeWide } : {}
}

export const DRY_RUN = 'dry-run'
export const NOT_MADE = 'no-such-order'

export function isUnreachable(outcome: Outcome): outcome is Outcome & { type: 'retry' } {
  return outcome.type === 'retry' && outcome.scope === 'destination'
}

export function wasCut(outcome: Outcome): boolean {
  return (outcome.type === 'retry' || outcome.type === 'unknown') && outcome.cut === true
}

export function cutShort(outcome: Outcome): Outcome {
  return outcome.type === 'retry' || outcome.type === 'unknown' ? { ...outcome, cut: true } : outcome
}

const REFUSES_KEY = /^(http-401|http-403|http-407|login-refused|login-without-token|vendure-(forbidden|unauthorized))$/
const REFUSES_PLACE = /^(http-3\d\d|no-api)$/
const BROKE_DOWN =
  /^(http-408|http-5\d\d|half-answer|no-answer|unreadable-answer|unknown-outcome|unexpected-error|vendure-internal-server-error)$/

export function refusesKey(code: string): boolean {
  return REFUSES_KEY.test(code)
}

/** Refuses who we are or where we ask; only a change of config there or here helps. */
export function isAuthFailure(code: string): boolean {
  return refusesKey(code) || REFUSES_PLACE.test(code)
}

export function mayBeDestinationWide(outcome: Outcome): boolean {
  if (wasCut(outcome)) return true
  switch (outcome.type) {
    case 'dead':
      return outcome.mayBeWide === true || isAuthFailure(outcome.code)
    case 'retry':
      return outcome.scope === 'item' && (outcome.mayBeWide === true || isOfAll(outcome.code))
    case 'unknown':
      if (outcome.byHand) return false
      return outcome.because === undefined || outcome.mayBeWide === true || isOfAll(outcome.because)
    default:
      return false
  }
}

function isOfAll(code: string): boolean {
  return isAuthFailure(code) || BROKE_DOWN.test(code)
}

export function wasAnswered(outcome: Outcome): boolean {
  if (outcome.type === 'delivered') return true
  if (mayBeDestinationWide(outcome)) return false
  return outcome.type === 'retry' ? outcome.scope === 'item' : outcome.type !== 'unknown' && outcome.type !== 'wait'
}

export function causeOf(outcome: Outcome & { code: string }): string {
  return (outcome.type === 'unknown' ? outcome.because : undefined) ?? outcome.code
}

export function isRateLimited(outcome: Outcome): boolean {
  if (outcome.type !== 'retry' || outcome.scope !== 'destination') return false
  return outcome.code === 'http-429' && outcome.notBefore === null
}

export interface Evidence {
  own: boolean
  alone: number | null
}

const FEWEST_ALONE = 2

/** Do not dead-letter on an error that may be destination-wide until another delivery succeeded. */
export function unlessDestinationWide(
  outcome: Outcome,
  { own, alone }: Evidence,
  failingSince: Instant | null,
  now: Instant,
): Outcome {
  if (outcome.type !== 'dead' || own || !mayBeDestinationWide(outcome)) return outcome
  const { code, why, mayBeWide } = outcome
  const lasts = failingSince !== null && now - failingSince >= ALONE_LIFETIME
  if (lasts && alone !== null && alone >= FEWEST_ALONE && !isAuthFailure(code))
    return { ...outcome, why: `refused for a day, with no other call to compare it with: ${why}` }
  return { type: 'retry', scope: 'item', notBefore: null, code, why, ...(mayBeWide && { mayBeWide }) }
}

const OUTAGES = {
  key: /^(http-401|http-407|login-refused|login-without-token|vendure-unauthorized|no-token|files-login)$/,
  rights: /^(http-403|vendure-forbidden|no-right)$/,
  mail: /^smtp-5\d\d$/,
  certificate: /^certificate-refused$/,
  address: /^(files-)?address-refused$/,
  hostKey: /^files-host-key$/,
  folder: /^files-(missing|denied)$/,
  disk: /^files-full$/,
  name: /^(no-database|vendure-channel-not-found)$/,
  api: /^no-api$/,
  moved: /^http-3\d\d$/,
  other: /^unreadable-answer$/,
  unknown: /^http-(404|405|410|421)$/,
  tooMany: /^http-429$/,
  broken: /^http-5\d\d$/,
  silent: /^(no-answer|half-answer|unknown-outcome|http-408|too-late|no-time|files-(aborted|lost))$/,
  unreachable: /^(unreachable|files-unreachable)$/,
  refused: /^(http-4\d\d|refused|gateway-(refused|busy)|no-table|bad-table)$/,
  any: /^/,
}

type Outage = keyof typeof OUTAGES

export const OUTAGE_MEANS: Record<Outage, string> = {
  key: 'it refuses our key or password, whatever is sent',
  rights: 'it forbids whatever is sent',
  mail: 'it takes no mail from us, whoever it is for',
  certificate: 'its certificate is not to be trusted, so nothing is sent to it',
  address: 'its name leads to a private address, and config does not say that it may',
  hostKey: 'another machine may answer in its place',
  folder: 'the folder that config names is not there, or not ours to use',
  disk: 'its disk is full',
  name: 'it does not have what config names there',
  api: 'its site is there, but not its API',
  moved: 'it sends every call to another address',
  other: 'something else answers in its place (a login page, a firewall, maintenance, another version)',
  unknown: 'something answers at its address, and knows none of what is sent',
  tooMany: 'it refuses every call as one too many',
  broken: 'it breaks down over every call',
  silent: 'it takes calls and does not answer',
  unreachable: 'it cannot be reached',
  refused: 'it refuses whatever is sent',
  any: 'nothing gets through to it',
}

export const OUTAGE_REMEDY: Record<Outage, string> = {
  key: 'renew it there, correct it in config, and have it read again (`tillbridge reload`)',
  rights: 'look at the rights of our key (read and write), and at a firewall that refuses this machine',
  mail: 'look at the login, at `from` and limits of this destination, and at block lists',
  certificate: "have it renewed, name an authority of your own by NODE_EXTRA_CA_CERTS, or see this machine's clock",
  address:
    'if it is meant, set allowPrivate: true for it in config, then `tillbridge reload`; else correct its address',
  hostKey: 'ask who runs it whether its host key was changed, and only then put the new one into sftp.hostKey',
  folder: 'make it, mount it, or give the user of the hub the right to it',
  disk: 'make room there',
  name: 'correct the name in config, or have it made there',
  api: 'switch its API on again (a plugin, a setting), or correct the url of this destination',
  moved: 'put the final address into the url of this destination, then `tillbridge reload`; redirects are not followed',
  other: 'open its url in a browser, and see what answers there',
  unknown: 'see whether it is being renewed, and whether the url of this destination is right',
  tooMany: 'ask who runs it for a higher limit, or lower `queue.concurrency` of this destination',
  broken: 'have who runs it read its error log',
  silent: 'see whether it is overloaded or hangs',
  unreachable: 'see whether it runs, and whether name, network and firewall let this machine through',
  refused: 'see what it says: an account that is empty, a limit of a day, another version of it',
  any: 'see what it says',
}

const NEEDS_A_PERSON: readonly Outage[] = ['certificate', 'address', 'folder', 'disk']

export function outageOf(code: string): Outage {
  return (Object.keys(OUTAGES) as Outage[]).find((one) => OUTAGES[one].test(code)) ?? 'any'
}

/** `person`: waiting does not help. */
export function adviceOn(code: string): { means: string; todo: string; person: boolean } {
  const outage = outageOf(code)
  const todo = `${OUTAGE_REMEDY[outage]}. Nothing is lost meanwhile.`
  return { means: OUTAGE_MEANS[outage], todo, person: isAuthFailure(code) || NEEDS_A_PERSON.includes(outage) }
}

export function isDown({ code, since }: OpenCircuit, now: Instant): boolean {
  return adviceOn(code).person || now - since > OUTAGE_ALARM
}
