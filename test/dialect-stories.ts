import type { DialectName } from '../sandbox/platform/dialects/dialect.ts'

/** Why a whole file of test/flows is not played in a dialect. What a file plays in none but `facts` is in its own words, with `onlyIn`. */
interface Exception {
  not: readonly DialectName[]
  why: string
}

const BOTH = ['spec', 'frontsystems-v2'] as const

const EVERY: Exception = { not: BOTH, why: 'plays in every dialect already, also in npm test' }
const NO_PLATFORM: Exception = {
  not: BOTH,
  why: 'no platform speaks in it: its webhooks are posted as the fixtures have them',
}
const PROCESS: Exception = {
  not: BOTH,
  why: 'kills a hub that has a process and config/demo.yaml of its own: the demo does that in each dialect (demo --kill)',
}
const PORTAL: Exception = {
  not: BOTH,
  why: 'speaks to the platform as frontsystems-v2 itself, whose portal tells what became of it',
}

/** The files of test/flows that are not played in all dialects, and why; all others are. */
export const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  dialects: EVERY,
  'dialects-mapped': EVERY,
  'dialects-submitted': EVERY,
  'dialects-told': EVERY,
  'dialect-exceptions': { not: BOTH, why: 'counts these' },
  killed: PROCESS,
  'any-order': NO_PLATFORM,
  archived: NO_PLATFORM,
  'archive-away': NO_PLATFORM,
  'back-again': NO_PLATFORM,
  beside: NO_PLATFORM,
  consents: PORTAL,
  compressed: NO_PLATFORM,
  contradictions: NO_PLATFORM,
  'count-settled': NO_PLATFORM,
  'customers-any-order': NO_PLATFORM,
  'notice-moved': NO_PLATFORM,
  'not-in-pieces': NO_PLATFORM,
  'numbered-again': NO_PLATFORM,
  'proof-again': NO_PLATFORM,
  'free-texts': NO_PLATFORM,
  'retried-late': PORTAL,
  'said-since': PORTAL,
  evidence: NO_PLATFORM,
  erased: NO_PLATFORM,
  'goods-unpacked': NO_PLATFORM,
  'large-payloads': NO_PLATFORM,
  'odd-fields': NO_PLATFORM,
  'omnichannel-plan': NO_PLATFORM,
  plans: NO_PLATFORM,
  'proof-on-remains': NO_PLATFORM,
  receipts: NO_PLATFORM,
  'reservations-over': NO_PLATFORM,
  'retried-by-filter': NO_PLATFORM,
  'review-told-before': NO_PLATFORM,
  'sales-of-one-order': NO_PLATFORM,
  'said-again': NO_PLATFORM,
  'same-number': NO_PLATFORM,
  'settlement-places': NO_PLATFORM,
  'shared-id': NO_PLATFORM,
  submitted: NO_PLATFORM,
  'unread-fields': NO_PLATFORM,
  'forged-webhook': {
    not: ['spec'],
    why: 'the specification shows no way to ask whether what a webhook says is so: webhooks are trusted there',
  },
  'goods-keeping': { not: ['spec'], why: 'the specification shows no way to keep goods' },
  'goods-kept': { not: ['spec'], why: 'the specification shows no way to keep goods' },
  'order-of-two': {
    not: ['spec'],
    why: 'the specification shows no order to read, by which a number is distinguished',
  },
  'platform-leftovers': { not: ['spec'], why: 'the specification shows no list of subscriptions' },
  'late-systems': {
    not: BOTH,
    why: 'minutes long, of Vendure, of systems by `rest`, and of orders that the platform has read back, which spec does not show',
  },
  permutations: {
    not: BOTH,
    why: 'a minute long, of orders and refunds, which every document shows and each dialect writes alike',
  },
  'strange-platform': {
    not: BOTH,
    why: 'each of its stories says itself what is strange at a platform, and with which preset it is asked',
  },
  'master-data': { not: ['spec'], why: 'the specification shows no product to read' },
  week: {
    not: BOTH,
    why: 'its books need every kind and every pull: spec has no way to send again, frontsystems-v2 no list of deliveries and no currency of gift cards',
  },
}
