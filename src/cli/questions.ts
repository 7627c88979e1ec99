import { styleText } from 'node:util'
import { Command } from 'commander'
import { html, raw } from 'hono/html'
import type { GapList, GapView } from '../admin/completeness.ts'
import type { FoundThings } from '../admin/find.ts'
import type { Late } from '../admin/late.ts'
import type { OrderStory } from '../admin/orders.ts'
import type { Article, UnsellableReport } from '../admin/products.ts'
import type { MissingSettlements } from '../admin/settlements.ts'
import type { ProductDifference, StockDifference } from '../domain/catalogue/finding.ts'
import type { Verdict } from '../domain/completeness/completeness.ts'
import type { StoredGap } from '../domain/completeness/gap.ts'
import type { DestinationCompleteness } from '../domain/completeness/reconciled.ts'
import type { JobStatus } from '../domain/health/health.ts'
import { sortOfLink } from '../domain/orders/link.ts'
import { UserError } from '../domain/values/errors.ts'
import { pluralize } from '../domain/values/text.ts'
import { OWN_VERSION } from '../lib/own-version.ts'
import type { AuditFault, VerifiedAudit } from '../storage/audit-chain.ts'
import type {
  CompletenessResult,
  NotWatched,
  SecondSource,
  There,
  UnresolvedEvents,
} from '../storage/read-completeness.ts'
import type { ActDetail, AuditRow } from '../storage/rows.ts'
import { deliveryTable } from './deliveries.ts'
import { eventTable } from './events.ts'
import { type Client, createClient } from './shared/client.ts'
import {
  asks,
  changesOf,
  choice,
  group,
  idArgument,
  instantOption,
  joined,
  limitOption,
  moreLines,
  numberOf,
} from './shared/command.ts'
import { EXIT, type ExitCode } from './shared/exit.ts'
import { ago, type Columns, cellsOf, oneLine, show, tableOf, when } from './shared/output.ts'

const CUSTOMERS = {
  customer: 'customerId',
  'own id': 'extId',
  name: 'name',
  'e-mail': 'email',
  phone: 'phone',
} as const
const PRODUCTS = { product: 'productId', 'own id': 'extId', number: 'number', name: 'name' } as const

export const find = asks<FoundThings>('find', 'GET /admin/find', {
  about: 'Find events, orders, customers and articles by a number, address, SKU, GTIN or id',
  with: (command) =>
    command
      .argument('<anything...>', 'blanks, case and a country prefix do not matter')
      .option('--reveal', 'show names and addresses in full; the audit has that you looked'),
  asked: (options, words: string[]) => ({ ...options, q: words.join(' ') }),
  text: foundText,
})

function foundText({ events, orders, deliveries, customers, products, more, query, reach }: FoundThings): string {
  const until =
    reach.until === null ? 'No event is in the index yet' : `Events until ${when(reach.until)} are in the index`
  const isNothing = events.length + customers.length + products.length + orders.length === 0
  return joined(
    [
      isNothing && `Nothing is found of ${oneLine(query)}.`,
      orders.length > 0 && `Orders: ${orders.map(oneLine).join(', ')} ("tillbridge order <number>" shows all of one)`,
      customers.length > 0 && tableOf(CUSTOMERS, customers, ''),
      products.length > 0 && tableOf(PRODUCTS, products, ''),
      events.length > 0 && eventTable(events),
      deliveries.length > 0 && deliveryTable(deliveries),
      more && '… and more events than are shown.',
      reach.behind > 0 && `${until}; ${reach.behind} are not. The hub goes on by itself.`,
    ],
    '\n\n',
  )
}

const LATE: Columns<Late> = {
  late: 'clock',
  for: ({ since }) => ago(since),
  about: 'entity',
  event: 'event',
  delivery: 'delivery',
  destination: 'destination',
  why: 'why',
}

const TIMELINE: Columns<OrderStory['timeline'][number]> = {
  when: ({ at }) => when(at),
  '': 'type',
  id: ({ event, delivery }) => delivery ?? event,
  what: 'what',
}

const MISSING_SETTLEMENTS: Columns<MissingSettlements['missing'][number]> = {
  "store's day": 'day',
  store: 'store',
  pos: 'posId',
  sales: 'sales',
  receipts: ({ firstReceipt, lastReceipt }) =>
    firstReceipt === lastReceipt ? firstReceipt : `${firstReceipt} to ${lastReceipt}`,
}

/** A web order and a POS order may share a number. */
const SORTS = { web: 'order', pos: 'order of a POS', receipt: "order of a POS, by its receipt's number," }

export const order = asks<OrderStory>('order', 'GET /admin/orders/:number', {
  about: 'Everything about one order, by time',
  with: (command) => command.argument('<number>', 'its number, as the customer knows it'),
  text: ({ number, links, late: overdue, open, timeline }) => [
    styleText('bold', oneLine(`Order ${number}`)),
    ...links.map(({ destination, kind, id, theirId }) =>
      oneLine(`${kind === 'order' ? SORTS[sortOfLink(id)] : kind} ${id} is ${theirId} at ${destination}`),
    ),
    overdue.length > 0 && `\nLate:\n${lateTable(overdue)}`,
    '',
    tableOf(TIMELINE, timeline, 'Nothing has happened.'),
    open.length > 0 && `\nNot done:\n${deliveryTable(open)}`,
  ],
})

export const late = asks<{ late: Late[] }>('late', 'GET /admin/late', {
  about: 'What customers wait for too long, and why',
  text: (found) => lateTable(found.late),
})

const missingSettlements = asks<MissingSettlements>('missing', 'GET /admin/settlements/missing', {
  about: 'POS with sales but no settlement of a day, by the mirror',
  with: (command) =>
    command
      .requiredOption('--from <day>', "the first of the stores' days: 2026-11-16")
      .requiredOption('--to <day>', 'the last of them')
      .option('--store <number>', "of this store: its number, or the platform's id"),
  text: ({ missing: posList, sales, settlements: made }) => [
    `${pluralize(sales, 'sale')} and ${pluralize(made, 'settlement')} were looked at.`,
    '',
    tableOf(
      MISSING_SETTLEMENTS,
      posList,
      sales === 0
        ? 'Nothing was sold in these days, as far as the mirror has it.'
        : 'Each POS that sold has its settlement.',
    ),
  ],
  exit: (found) => (found.missing.length > 0 ? EXIT.problem : undefined),
})

export const settlements = group('settlements', 'Settlements of POS', missingSettlements)

function lateTable(rows: Late[]): string {
  return tableOf(LATE, rows, 'Nothing is late.')
}

const AUDIT: Columns<AuditRow> = {
  act: 'id',
  when: ({ at }) => when(at),
  who: ({ by, role }) => (role === null ? by : `${by} (${role})`),
  did: 'action',
  touched: ({ refused, changed }) => (refused === null ? changed : 'refused'),
  which: ({ selection }) => (selection === '{}' ? '' : selection),
  why: ({ refused, reason }) => refused ?? reason,
}

const auditList = asks<{ acts: AuditRow[] }>('list', 'GET /admin/audit', {
  about: 'What operators did, newest first, refused acts too',
  with: (command) =>
    command
      .option('--by <name>', 'by this person')
      .option('--action <action>', 'such as retry, skip, release, move, reroute, pause, resume, run-job, create-key')
      .addOption(instantOption('--since <when>', 'since'))
      .addOption(instantOption('--until <when>', 'before'))
      .addOption(limitOption()),
  text: ({ acts }, { limit }) => [
    actTable(acts),
    ...moreLines(acts, limit, '--limit, --since and --until show others'),
  ],
})

const auditEntry = asks<ActDetail>('show', 'GET /admin/audit/:id', {
  about: 'One operation: what was asked for, and what it touched',
  with: (command) => command.addArgument(idArgument('<id>', 'audit list')),
  text: (act) => {
    const shown = Math.max(act.deliveries.length, act.events.length)
    return [
      actTable([act]),
      act.deliveries.length > 0 && `\n${deliveryTable(act.deliveries)}`,
      act.events.length > 0 && `\n${eventTable(act.events)}`,
      shown > 0 && act.changed > shown && `… and more: it touched ${act.changed}.`,
    ]
  },
})

const auditVerify = asks<VerifiedAudit>('verify', 'GET /admin/audit/verify', {
  about: 'Whether an entry of the audit was edited or is missing',
  with: (command) =>
    command
      .option('--head <hash>', 'what an earlier verification printed: it must still be there')
      .addHelpText('after', '\nExit code 1: something was edited or is missing.'),
  text: ({ entries, head, rewritten, faults }) => [
    ...faults.map(faultText),
    `${pluralize(entries, 'entry')}${rewritten > 0 ? `, ${rewritten} without what an erasure took` : ''}: ${faults.length === 0 ? 'none was edited, none is missing' : 'NOT as they were written'}.`,
    head !== null && `Head: ${head}`,
  ],
  exit: ({ faults }) => (faults.length > 0 ? EXIT.problem : undefined),
})

function faultText(fault: AuditFault): string {
  if (fault.what === 'broken')
    return `Entry ${fault.act} does not follow from ${fault.after ?? 'what retention dropped'}: it was edited, or entries between them are missing.`
  if (fault.what === 'words') return `Entry ${fault.act}: its reason, selection or refusal was edited.`
  return fault.what === 'end' ? 'The last entries are missing.' : 'The given head is not in it: it was written anew.'
}

export const audit = group('audit', 'Who did what, when and why', auditList, auditEntry, auditVerify)

function actTable(rows: AuditRow[]): string {
  return tableOf(AUDIT, rows, 'No such audit entries.')
}

const MAX_SHOWN = 50

const PRICES = { list: 'list', price: 'price', currency: 'currency', from: 'validFrom', to: 'validTo' } as const
const COSTS = { stock: 'stockId', store: 'stockExtId', cost: 'cost', currency: 'currency' } as const

const PRODUCT_DIFFERENCES: Columns<ProductDifference> = {
  product: 'subject',
  what: 'field',
  submitted: 'submitted',
  'the platform has': ({ read }) => read ?? '(nothing)',
  stores: ({ stores }) => stores.join(' '),
  since: ({ since }) => when(since),
  delivery: 'delivery',
}

const STOCK_DIFFERENCES: Columns<StockDifference> = {
  run: 'run',
  where: ({ of }) => ('stockId' in of ? `mirror, stock ${of.stockId}` : `${of.destination}, ${of.location}`),
  article: ({ sku, gtin }) => sku ?? gtin,
  has: 'found',
  'should have': 'right',
  cause: 'cause',
  state: 'state',
  '': 'detail',
}

const STORES: Columns<UnsellableReport['stores'][number]> = {
  store: 'store',
  name: 'name',
  'recommended retail list': ({ list }) => list ?? 'not known (platform.retailLists)',
  'not sellable': 'unsellable',
}

const NOT_SELLABLE: Columns<UnsellableReport['lists'][number]['products'][number]> = {
  product: ({ productId, extId, number }) => extId ?? number ?? productId,
  name: 'name',
  since: ({ since }) => when(since),
}

const showOne = asks<Article>('show', 'GET /admin/articles/:gtin', {
  about: 'An article on the platform now: its prices in all lists, its cost in each stock',
  with: (command) =>
    command
      .argument('<gtin>')
      .addHelpText(
        'after',
        '\nExit code 1: something of it is unknown, and is named. 2: the platform has no such article.',
      ),
  text: ({ gtin, product, prices, costs, unknown }) => [
    oneLine(
      product
        ? `${product.name ?? '(no name)'} ${product.variant ?? ''}, product ${product.productId}, ${product.extId ?? 'no extId'}: ${product.price ?? 'no price'}`
        : `GTIN ${gtin}:`,
    ),
    prices && `\n${tableOf(PRICES, prices, 'It has no price in any list.')}`,
    costs && `\n${tableOf(COSTS, costs, 'It has no cost in any stock.')}`,
    ...unknown.map((why) => oneLine(`Unknown: ${why}`)),
  ],
  exit: ({ gtin, product, prices, costs, unknown }) => {
    if (!product && !prices?.length && !costs?.length && unknown.length === 0)
      throw new UserError(
        `The platform shows no product with the GTIN ${gtin}. "tillbridge find ${gtin}" looks for it as a SKU or another number.`,
      )
    return unknown.length > 0 ? EXIT.problem : undefined
  },
})

const productDifferences = asks<{ differences: ProductDifference[] }>(
  'differences',
  'GET /admin/products/differences',
  {
    about: 'Where the platform has other values than those it acknowledged',
    with: (command) =>
      command
        .option('--store <number>', 'what concerns this store')
        .addOption(choice('--state <state>', 'open, if nothing is said', ['open', 'gone'])),
    text: ({ differences: rows }, _, client) =>
      tableOrWhy(PRODUCT_DIFFERENCES, rows, client, 'read-back', 'No differences.'),
  },
)

const unsellable = asks<UnsellableReport>('unsellable', 'GET /admin/products/unsellable', {
  about: 'What stores cannot sell, for want of a price in their recommended list',
  with: (command) => command.option('--store <number>', 'of this store'),
  text: async ({ stores, lists }, _, client) =>
    joined(
      [
        await tableOrWhy(STORES, stores, client, 'products', 'No store is known.'),
        ...lists.filter(({ count }) => count > 0).map(listText),
      ],
      '\n\n',
    ),
})

const stockDifferences = asks<{ differences: StockDifference[] }>('differences', 'GET /admin/stock/differences', {
  about: 'Where the levels of platform, mirror and shops differ, and why',
  with: (command) =>
    command
      .option('--run <run>', 'of one run of the job reconcile-stock')
      .addOption(choice('--state <state>', 'what became of them', ['proposed', 'corrected'])),
  text: ({ differences: rows }, _, client) =>
    tableOrWhy(STOCK_DIFFERENCES, rows, client, 'reconcile-stock', 'No differences.'),
})

const approve = asks<{ run: string; corrected: number }>('approve', 'POST /admin/stock/approve', {
  about: 'Correct the differences of a run that waits for approval',
  with: (command) => command.argument('<run>').requiredOption('--reason <text>', 'why, for the record'),
  asked: (options, run) => ({ ...options, run }),
  text: ({ run, corrected }) =>
    `${pluralize(corrected, 'difference')} of ${run} ${corrected === 1 ? 'is' : 'are'} being corrected.`,
})

export const products = group(
  'products',
  'What became of products and prices on the platform',
  showOne,
  productDifferences,
  unsellable,
)

export const stock = group('stock', 'What the weekly comparison of stock found', stockDifferences, approve)

function listText({ list, count, products: all }: UnsellableReport['lists'][number]): string {
  const rows = all.slice(0, MAX_SHOWN)
  const more = count > rows.length ? `\n… and ${count - rows.length} more (--json lists them)` : ''
  return `No price in ${oneLine(list)}:\n${tableOf(NOT_SELLABLE, rows, '')}${more}`
}

/** An empty list may mean that its job has not run. */
async function tableOrWhy<Row>(columns: Columns<Row>, rows: Row[], client: Client, job: string, none: string) {
  if (rows.length > 0) return tableOf(columns, rows, '')
  const { jobs } = await client.get<{ jobs: JobStatus[] }>('/admin/jobs')
  const found = jobs.find(({ name }) => name === job)
  if (found === undefined) return `Never compared: by this config there is no job ${job}.`
  return found.lastSucceededAt === null ? `Not compared yet: tillbridge jobs run ${job}.` : none
}

/** Own systems close their day on 0 alone. */
const CODES: Record<Verdict, ExitCode> = { proven: EXIT.well, gaps: EXIT.missing, unknown: EXIT.unproven }

const WORDS: Record<Verdict, string> = {
  proven: 'Nothing is missing.',
  gaps: 'Something is missing: tillbridge gaps list.',
  unknown:
    'Unknown: it was not scanned, or not lately enough (tillbridge jobs history reconcile-log), or an operator has to explain something (tillbridge gaps list) or to decide about events that are named below.',
}

const UNRESOLVED: Record<UnresolvedEvents['state'], string> = { conflict: 'in conflict', quarantined: 'in quarantine' }

const MARKS: Columns<CompletenessResult['watermarks'][number]> = {
  by: 'level',
  kind: 'kind',
  store: ({ storeId }) => storeId ?? 'every',
  from: ({ neverScanned, from }) => (neverScanned ? null : when(from)),
  until: ({ neverScanned, until }) => (neverScanned ? null : when(until)),
  verdict: ({ neverScanned, gaps, verdict }) => (neverScanned && gaps === 0 ? 'never scanned' : verdict),
  gaps: ({ gaps }) => gaps || null,
}

const LISTED: Columns<SecondSource['counts'][number]> = {
  kind: 'kind',
  store: 'storeId',
  listed: 'listed',
  here: 'here',
  'sum listed': 'listedSum',
  'sum here': 'hereSum',
}

const THERE: Columns<DestinationCompleteness> = {
  destination: 'name',
  'asked from': ({ from }) => when(from),
  until: ({ until }) => when(until),
  verdict: ({ cannot, verdict }) => (cannot === null ? verdict : 'cannot be asked'),
  gaps: ({ gaps }) => gaps || null,
  open: ({ open }) => open || null,
  '': ({ cannot, problem }) => cannot ?? problem,
}

const DAYS: Columns<DestinationCompleteness['days'][number]> = {
  day: 'day',
  flow: 'flow',
  given: 'given',
  there: 'there',
  unknown: ({ unknown }) => unknown || null,
  'sum given': ({ currency, givenSum }) => currency && givenSum,
  'sum there': ({ currency, thereSum }) => currency && thereSum,
  '': 'currency',
}

const STYLE = `
@page { margin: 18mm }
body { font: 11pt/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 46rem; padding: 0 1rem }
h1 { font-size: 1.5rem } table { border-collapse: collapse; width: 100% } tr { break-inside: avoid }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #ccc; vertical-align: top }`

export const complete = new Command('complete')
  .description('Is everything here? Exit code 0: proven, 3: something is missing, 4: unknown')
  .addOption(instantOption('--until <when>', 'until then; otherwise until lately'))
  .option('--day <day>', 'that whole day (yyyy-mm-dd), from its beginning to its end by the clocks of the stores')
  .option('--store <number>', "in this store: its number, or the platform's id")
  .option('--destination <name>', 'both sides of one destination, day by day')
  .option('--json', 'print JSON')
  .option('--html', 'print a page to print on paper')
  .action(async ({ json, html: asPage, destination, ...asked }) => {
    const client = await createClient(process.env)
    const answer = await client.get<CompletenessResult & SecondSource & There>('/admin/completeness', asked)
    if (destination !== undefined) return showDestination(json, destination, answer)
    const code = codeOf(answer)
    show(json, answer, () => (asPage ? page(asked, answer) : text(answer)))
    process.exitCode = code
  })

/** Throws a UserError for an answer without a verdict. */
function codeOf({ verdict }: { verdict: Verdict }): ExitCode {
  const code: ExitCode | undefined = CODES[verdict]
  if (code !== undefined) return code
  throw new UserError(
    `What answers there has no verdict that this command (Tillbridge ${OWN_VERSION}) knows: it is a hub of another version, or no hub. Use the command of that version, or look at TILLBRIDGE_URL.`,
  )
}

function showDestination(json: boolean | undefined, name: string, { destinations = [] }: Partial<There>): void {
  const one = destinations.find((each) => each.name === name)
  if (one === undefined) {
    const known = destinations.map((each) => each.name).join(', ') || 'none'
    throw new UserError(
      `No destination "${name}" was asked; there are ${known}. tillbridge jobs run reconcile-destinations`,
    )
  }
  const code = codeOf(one)
  const days = () => tableOf(DAYS, one.days, `${name} was not asked for anything yet.`)
  show(json, one, () => [tableOf(THERE, [one], ''), '', days()].join('\n'))
  process.exitCode = code
}

function text(answer: CompletenessResult & SecondSource & There): string {
  const { verdict, watermarks, counts = [], destinations = [] } = answer
  const notes = notesOf(answer)
  return [
    WORDS[verdict],
    '',
    tableOf(MARKS, watermarks, 'No scan has ended yet.'),
    ...(counts.length > 0 ? ['', tableOf(LISTED, counts, '')] : []),
    ...(destinations.length > 0 ? ['', tableOf(THERE, destinations, '')] : []),
    ...(notes.length > 0 ? ['', ...notes] : []),
  ].join('\n')
}

function notesOf(answer: CompletenessResult & SecondSource): string[] {
  const { byLists, cannotTell, unresolved = [], notWatched = [] } = answer
  return [
    ...unresolved.map(unresolvedLine),
    ...notWatchedLines(notWatched),
    ...byLists.map(
      ({ why, kind, from, to }) => `Proven by lists, since ${why} from ${when(from)} to ${when(to)} (${kind}).`,
    ),
    ...Object.entries(cannotTell).map(([kind, why]) => `No list of the platform has ${kind}: ${why}.`),
  ]
}

function unresolvedLine({ kind, state, count, events, more }: UnresolvedEvents): string {
  const ids = `${events.join(', ')}${events.length < count || more ? ' …' : ''}`
  return `${count}${more ? ' or more' : ''} ${kind} ${UNRESOLVED[state]} and not dismissed (${count === 1 ? 'event' : 'events'} ${ids}): tillbridge events show ${events[0] ?? '<id>'}`
}

function notWatchedLines(all: readonly NotWatched[]): string[] {
  const line = (kinds: readonly NotWatched[], words: string) =>
    kinds.length === 0
      ? []
      : [`${words}: ${pluralize(kinds.length, 'kind')} (${kinds.map(({ kind }) => kind).join(', ')}).`]
  const { wanted = [], left = [] } = Object.groupBy(all, (one) => (one.wanted ? 'wanted' : 'left'))
  return [
    ...line(wanted, 'Not watched, though config subscribes to them (tillbridge subscriptions list)'),
    ...line(left, 'Not watched'),
  ]
}

function page(
  { day, until, store }: { day?: string; until?: string; store?: string },
  answer: CompletenessResult & SecondSource,
): string {
  const { verdict, watermarks, counts = [] } = answer
  const title = `Is everything here? ${store === undefined ? 'All stores' : `Store ${store}`}, ${day ?? `until ${until ?? 'lately'}`}`
  return String(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${raw(STYLE)}</style></head>
<body><h1>${title}</h1>
<p>Stated ${new Date().toISOString()} by Tillbridge.</p>
<p><strong>${WORDS[verdict]}</strong></p>
${pageTable(MARKS, watermarks)}
${counts.length === 0 ? '' : pageTable(LISTED, counts)}
${notesOf(answer).map((note) => html`<p>${note}</p>`)}
</body></html>
`)
}

function pageTable<Row>(columns: Columns<Row>, rows: readonly Row[]) {
  return html`<table><thead><tr>${Object.keys(columns).map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${cellsOf(columns, rows).map((row) => html`<tr>${row.map((cell) => html`<td>${cell ?? ''}</td>`)}</tr>`)}</tbody></table>`
}

const gapList = asks<GapList>('list', 'GET /admin/gaps', {
  about: 'What is not proven to be here',
  with: (command) =>
    selectGaps(command)
      .option('--state <state>', 'open, repaired, explained', 'open')
      .option('--after <id>', 'go on behind this one', numberOf)
      .addOption(limitOption()),
  text: ({ gaps: rows, hint }, { limit }) => [
    gapTable(rows),
    hint && oneLine(hint),
    ...moreLines(rows, limit, `--after ${rows.at(-1)?.id} goes on`),
  ],
})

const showGap = asks<GapView>('show', 'GET /admin/gaps/:id', {
  about: 'One gap: its cause, what each source knows, and what repairs it',
  with: (command) => command.addArgument(idArgument('<id>', 'gaps list')),
  text: (gap) => [
    gapTable([gap]),
    '',
    gap.words,
    ...Object.entries(gap.evidence).map(([source, facts]) => `${source}: ${JSON.stringify(facts)}`),
    gap.ended === null && gap.state === 'open' && `To do: ${gap.remedy}`,
    gap.ended && `${gap.state} ${when(gap.ended.at)} by ${gap.ended.by}: ${gap.ended.reason}`,
  ],
})

const explain = changesOf<StoredGap>('explain', {
  list: 'gaps',
  about: 'Close open gaps for which nothing can be done',
  select: selectGaps,
})

export const gaps = group('gaps', 'What is not proven to be here', gapList, showGap, explain)

function selectGaps(command: Command): Command {
  return command
    .option('--source <source>', 'found by: log, facts, POS, destination')
    .option('--cause <cause>', 'such as failed, claimed, not-looked-at')
    .option('--kind <kind>', 'of this event kind')
    .option('--store-id <id>', "of this store, by the platform's id")
    .option('--destination <name>', 'that this destination lacks')
    .option('--day <day>', 'of this business day')
}

function gapTable(rows: readonly StoredGap[]): string {
  const columns: Columns<StoredGap> = {
    gap: 'id',
    source: 'source',
    cause: 'cause',
    kind: 'kind',
    store: 'storeId',
    ...(rows.some(({ destination }) => destination !== null) && { destination: 'destination' as const }),
    about: 'subject',
    of: ({ at }) => when(at),
    seen: ({ firstSeenAt }) => when(firstSeenAt),
    state: 'state',
  }
  return tableOf(columns, rows, 'None is known. "tillbridge complete" shows how far it was scanned.')
}
