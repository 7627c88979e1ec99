import { Command } from 'commander'
import type { Article } from '../../admin/find/article.ts'
import type { ProductDifference } from '../../domain/catalogue/finding.ts'
import { UserError } from '../../domain/values/errors.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { oneLine } from '../shared/harmless-text.ts'
import { asks } from '../shared/question.ts'
import { type Columns, tableOf } from '../shared/table.ts'
import { when } from '../shared/times.ts'
import { choice, instantOption } from '../shared/values.ts'
import { whyNone } from './why-none.ts'

/** As `/admin/products` answers. */
interface Unsellable {
  stores: { store: string; name: string | null; list: string | null; unsellable: number | null }[]
  lists: {
    list: string
    count: number
    products: { productId: string; extId: string | null; name: string | null; number: string | null; since: number }[]
  }[]
}

interface NewWord {
  sort: string
  word: string
  like: string | null
  since: number
  product: { productId: string; extId: string | null; name: string | null }
}

/** The most products of a list that are shown to people. */
const SHOWN = 50

const differences = asks<{ differences: ProductDifference[] }>(
  new Command('differences')
    .description('Where the platform has something else than what was submitted, and it acknowledged')
    .option('--store <number>', 'what concerns this store')
    .addOption(choice('--state <state>', 'open, if nothing is said', ['open', 'gone'])),
  {
    ask: 'GET /admin/products/differences',
    text: async ({ differences: rows }, _, client) => {
      const none = rows.length > 0 ? '' : await whyNone(client, 'read-back', 'No differences.')
      return tableOf(DIFFERENCES, rows, none)
    },
  },
)

const unsellable = asks<Unsellable>(
  new Command('unsellable')
    .description('What stores cannot sell: it has no price in their recommended retail price list')
    .option('--store <number>', 'of this store'),
  {
    ask: 'GET /admin/products/unsellable',
    text: async (found, _, client) => {
      const none = found.stores.length > 0 ? '' : await whyNone(client, 'products', 'No store is known.')
      return unsellableText(found, none)
    },
  },
)

const words = asks<{ words: NewWord[] }>(
  new Command('words')
    .description('Groups, brands, seasons and colors that nobody had used before: a typing error makes one')
    .addOption(instantOption('--since <when>', 'of products seen since')),
  {
    ask: 'GET /admin/products/words',
    text: async ({ words: rows }, _, client) => {
      const none = rows.length > 0 ? '' : await whyNone(client, 'products', 'No new words.')
      return tableOf(WORDS, rows, none)
    },
  },
)

const showOne = asks<Article>(
  new Command('show')
    .description('What the platform has of one article now: its prices in all lists, and its cost in each stock')
    .argument('<gtin>')
    .addHelpText(
      'after',
      '\nExit code 1: something of it was not told, and is named. 2: the platform has no such article.',
    ),
  {
    ask: 'GET /admin/articles/:gtin',
    text: articleText,
    exit: (found) => {
      if (isNowhere(found)) throw new UserError(nowhereText(found.gtin))
      return found.untold.length > 0 ? EXIT.problem : undefined
    },
  },
)

export const products = new Command('products')
  .description('What became of products and prices on the platform')
  .addCommand(showOne)
  .addCommand(differences)
  .addCommand(unsellable)
  .addCommand(words)

/** The platform was asked for all of it, and has nothing. */
function isNowhere({ product, prices, costs, untold }: Article): boolean {
  return !product && !prices?.length && !costs?.length && untold.length === 0
}

function nowhereText(gtin: string): string {
  return `The platform told of no product with the GTIN ${gtin}. "tillbridge find ${gtin}" looks for it as a SKU or another number.`
}

function articleText({ gtin, product, prices, costs, untold }: Article): string {
  const named = product
    ? `${product.name ?? '(no name)'} ${product.variant ?? ''}, product ${product.productId}, ${product.extId ?? 'no extId'}: ${product.price ?? 'no price'}`
    : `GTIN ${gtin}:`
  return [
    oneLine(named),
    ...(prices ? ['', tableOf(PRICES, prices, 'It has no price in any list.')] : []),
    ...(costs ? ['', tableOf(COSTS, costs, 'It has no cost in any stock.')] : []),
    ...untold.map((why) => oneLine(`Not told: ${why}`)),
  ].join('\n')
}

const PRICES = { list: 'list', price: 'price', currency: 'currency', from: 'validFrom', to: 'validTo' } as const
const COSTS = { stock: 'stockId', store: 'stockExtId', cost: 'cost', currency: 'currency' } as const

const DIFFERENCES: Columns<ProductDifference> = {
  product: 'subject',
  what: 'field',
  submitted: 'submitted',
  'the platform has': ({ read }) => read ?? '(nothing)',
  stores: ({ stores }) => stores.join(' '),
  since: ({ since }) => when(since),
  delivery: 'delivery',
}

const STORES: Columns<Unsellable['stores'][number]> = {
  store: 'store',
  name: 'name',
  'recommended retail list': ({ list }) => list ?? 'not known (platform.retailLists)',
  'not sellable': 'unsellable',
}

const NOT_SELLABLE: Columns<Unsellable['lists'][number]['products'][number]> = {
  product: ({ productId, extId, number }) => extId ?? number ?? productId,
  name: 'name',
  since: ({ since }) => when(since),
}

const WORDS: Columns<NewWord> = {
  what: 'sort',
  word: 'word',
  like: 'like',
  'brought by': ({ product: { extId, productId, name } }) => `${extId ?? productId} ${name ?? ''}`.trim(),
  since: ({ since }) => when(since),
}

function unsellableText({ stores, lists }: Unsellable, none: string): string {
  const each = lists.filter(({ count }) => count > 0).map(listText)
  return [tableOf(STORES, stores, none), ...each].join('\n\n')
}

function listText({ list, count, products: all }: Unsellable['lists'][number]): string {
  const rows = all.slice(0, SHOWN)
  const more = count > rows.length ? `\n… and ${count - rows.length} more (--json lists them)` : ''
  return `No price in ${oneLine(list)}:\n${tableOf(NOT_SELLABLE, rows, '')}${more}`
}
