import { Command } from 'commander'
import type { Article } from '../../admin/find/article.ts'
import type { ProductDifference } from '../../domain/catalogue/master-data-difference.ts'
import { UserError } from '../../domain/values/errors.ts'
import { createClient } from '../shared/client.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { oneLine } from '../shared/harmless-text.ts'
import { pathPart } from '../shared/path-part.ts'
import { show } from '../shared/print.ts'
import { table } from '../shared/table.ts'
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

const differences = new Command('differences')
  .description('Where the platform has something else than what was submitted, and it acknowledged')
  .option('--store <number>', 'what concerns this store')
  .addOption(choice('--state <state>', 'open, if nothing is said', ['open', 'gone']))
  .option('--json', 'print JSON')
  .action(async ({ json, ...filter }) => {
    const client = await createClient(process.env)
    const found = await client.get<{ differences: ProductDifference[] }>('/admin/products/differences', filter)
    const none = found.differences.length > 0 ? '' : await whyNone(client, 'read-back', 'No differences.')
    show(json, found, () => differenceTable(found.differences, none))
  })

const unsellable = new Command('unsellable')
  .description('What stores cannot sell: it has no price in their recommended retail price list')
  .option('--store <number>', 'of this store')
  .option('--json', 'print JSON')
  .action(async ({ json, ...filter }) => {
    const client = await createClient(process.env)
    const found = await client.get<Unsellable>('/admin/products/unsellable', filter)
    const none = found.stores.length > 0 ? '' : await whyNone(client, 'products', 'No store is known.')
    show(json, found, () => unsellableText(found, none))
  })

const words = new Command('words')
  .description('Groups, brands, seasons and colors that nobody had used before: a typing error makes one')
  .addOption(instantOption('--since <when>', 'of products seen since'))
  .option('--json', 'print JSON')
  .action(async ({ json, ...filter }) => {
    const client = await createClient(process.env)
    const found = await client.get<{ words: NewWord[] }>('/admin/products/words', filter)
    const none = found.words.length > 0 ? '' : await whyNone(client, 'products', 'No new words.')
    show(json, found, () => wordTable(found.words, none))
  })

const showOne = new Command('show')
  .description('What the platform has of one article now: its prices in all lists, and its cost in each stock')
  .argument('<gtin>')
  .addHelpText(
    'after',
    '\nExit code 1: something of it was not told, and is named. 2: the platform has no such article.',
  )
  .option('--json', 'print JSON')
  .action(async (gtin: string, { json }) => {
    const client = await createClient(process.env)
    const found = await client.get<Article>(`/admin/articles/${pathPart(gtin)}`)
    if (isNowhere(found)) throw new UserError(nowhereText(gtin))
    show(json, found, () => articleText(found))
    if (found.untold.length > 0) process.exitCode = EXIT.problem
  })

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
    ...(prices ? ['', priceTable(prices)] : []),
    ...(costs ? ['', costTable(costs)] : []),
    ...untold.map((why) => oneLine(`Not told: ${why}`)),
  ].join('\n')
}

function priceTable(prices: NonNullable<Article['prices']>): string {
  return table(
    ['list', 'price', 'currency', 'from', 'to'],
    prices.map(({ list, price, currency, validFrom, validTo }) => [list, price, currency, validFrom, validTo]),
    'It has no price in any list.',
  )
}

function costTable(costs: NonNullable<Article['costs']>): string {
  return table(
    ['stock', 'store', 'cost', 'currency'],
    costs.map(({ stockId, stockExtId, cost, currency }) => [stockId, stockExtId, cost, currency]),
    'It has no cost in any stock.',
  )
}

function differenceTable(rows: readonly ProductDifference[], none: string): string {
  return table(
    ['product', 'what', 'submitted', 'the platform has', 'stores', 'since', 'delivery'],
    rows.map(({ subject, field, submitted, read, stores, since, delivery }) => [
      subject,
      field,
      submitted,
      read ?? '(nothing)',
      stores.join(' '),
      when(since),
      delivery,
    ]),
    none,
  )
}

function unsellableText({ stores, lists }: Unsellable, none: string): string {
  const overview = table(
    ['store', 'name', 'recommended retail list', 'not sellable'],
    stores.map(({ store, name, list, unsellable: count }) => [
      store,
      name,
      list ?? 'not known (platform.retailLists)',
      count === null ? '' : count,
    ]),
    none,
  )
  const each = lists.filter(({ count }) => count > 0).map(listText)
  return [overview, ...each].join('\n\n')
}

function listText({ list, count, products: all }: Unsellable['lists'][number]): string {
  const rows = all
    .slice(0, SHOWN)
    .map(({ productId, extId, number, name, since }) => [extId ?? number ?? productId, name, when(since)])
  const more = count > rows.length ? `\n… and ${count - rows.length} more (--json lists them)` : ''
  return `No price in ${oneLine(list)}:\n${table(['product', 'name', 'since'], rows, '')}${more}`
}

function wordTable(rows: readonly NewWord[], none: string): string {
  return table(
    ['what', 'word', 'like', 'brought by', 'since'],
    rows.map(({ sort, word, like, product: { extId, productId, name }, since }) => [
      sort,
      word,
      like,
      `${extId ?? productId} ${name ?? ''}`.trim(),
      when(since),
    ]),
    none,
  )
}
