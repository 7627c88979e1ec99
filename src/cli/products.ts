import type { Article, UnsellableReport } from '../admin/products.ts'
import type { ProductDifference, StockDifference } from '../domain/catalogue/finding.ts'
import type { JobStatus } from '../domain/health/job-status.ts'
import { UserError } from '../domain/values/errors.ts'
import { pluralize } from '../domain/values/text.ts'
import type { Client } from './shared/client.ts'
import { asks, choice, group, joined } from './shared/command.ts'
import { EXIT } from './shared/exit.ts'
import { type Columns, oneLine, tableOf, when } from './shared/output.ts'

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
