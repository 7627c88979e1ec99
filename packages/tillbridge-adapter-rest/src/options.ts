import {
  addressFault,
  type CustomerConsent,
  type CustomerRecord,
  checkedText,
  type ErasedCustomer,
  eachKind,
  isNoFunction,
  methodOf,
  type OrderReturn,
  type OrderUpdate,
  ownHeaders,
  type PosOrder,
  type RecordKind,
  type Shape,
  type ShapeOf,
  type StockLevel,
  sale,
  secret,
  shapeOf,
  Text,
  texts,
} from 'tillbridge/adapter'
import { z } from 'zod'
import {
  buildRequest,
  Effects,
  type EffectTemplate,
  Levels,
  type LevelsTemplate,
  MappingError,
  Poll,
  Read,
  Request,
  type RequestTemplate,
  resultOf,
  Search,
  shownFault,
} from './mapping.ts'

const Token = z.string().regex(/^[\x21-\x7e]{4,}$/, 'Must be at least 4 characters of printable ASCII, without spaces.')
const Password = z
  .string()
  .min(4)
  .regex(/^[^\p{Cc}]*$/u, 'Must not have control characters.')

export const Auth = z
  .strictObject({
    bearer: secret(Token).optional().describe('A token, sent as Bearer.'),
    basic: z
      .strictObject({
        user: z
          .string()
          .regex(/^[^:\p{Cc}]+$/u, 'Must not have a colon or control characters.')
          .describe('The user.'),
        password: secret(Password).describe('The password.'),
      })
      .optional()
      .describe('User and password, sent as Basic.'),
    oauth: z
      .strictObject({
        tokenUrl: checkedText(addressFault).describe('Where a token is to be had: http or https.'),
        clientId: Text.describe('The id of the client.'),
        clientSecret: secret(Password).describe('The secret of the client.'),
        scope: Text.optional().describe('What the token is to be good for, where the system wants it said.'),
        audience: Text.optional().describe('Whom the token is for, where the system wants it said.'),
        send: z
          .enum(['header', 'body'])
          .default('header')
          .describe('How id and secret are sent: in the header (Basic), or in the body.'),
      })
      .optional()
      .describe('OAuth 2 client credentials: a token is fetched, and kept until it runs out.'),
  })
  .refine(
    (auth) => Object.values(auth).filter((one) => one !== undefined).length === 1,
    'Must have one of bearer, basic and oauth.',
  )

export type Auth = z.output<typeof Auth>
export type OAuth = NonNullable<Auth['oauth']>

function effect(what: string) {
  return Effects.optional().describe(what)
}

const RestSchema = z.strictObject({
  url: checkedText(urlFault).describe('Where the API begins: http or https. Paths follow it.'),
  auth: Auth.optional().describe('Who asks: bearer, basic or oauth.'),
  headers: ownHeaders()
    .optional()
    .describe('Headers of every request, such as an API key: a whole value from the environment each.'),
  orders: z
    .strictObject({
      create: effect('An order of the POS is created.'),
      draft: effect('A basket of the POS is kept for the customer to pay online.'),
      ready: effect('The order lies ready in the store.'),
      collected: effect('The customer has it: the payment can be captured.'),
      decline: effect('The store does not have some of it.'),
      expire: effect('Nobody fetched it in time.'),
      ship: effect('The store has sent a parcel.'),
      refund: effect('Goods came back in a store, and the money must be refunded.'),
      noteRefund: effect('Goods came back in a store, which gave the money back.'),
      search: Search.optional().describe('Orders with a number, for the POS.'),
    })
    .optional()
    .describe('What is done about orders. What is left out is not done here.'),
  customers: z
    .strictObject({
      upsert: effect('A customer is created or changed.'),
      noteConsent: effect('What a customer agreed to at a POS has changed: offers by e-mail, as text messages.'),
      erase: effect('A customer is erased ("tillbridge people erase"): once for each `theirId`, or once without one.'),
      byEmail: Search.optional().describe('Customers with an e-mail address, for the POS.'),
      byPhone: Search.optional().describe('Customers with a phone number, for the POS.'),
    })
    .optional()
    .describe('What is done about customers. What is left out is not done here.'),
  stock: z
    .strictObject({
      setLevels: z
        .strictObject({
          ...Request.shape,
          atOnce: z.int().min(1).max(1_000).default(1).describe('How many levels one request may have.'),
        })
        .describe('Levels are set.'),
      readLevels: Levels.optional().describe('Levels that it counts are asked for, to be compared.'),
    })
    .optional()
    .describe('What is done about stock.'),
  backOffice: z
    .strictObject(eachKind((_, description) => effect(description)))
    .optional()
    .describe('What books, an ERP or BI are told. What is left out is not told here.'),
  poll: Poll.optional().describe('How new orders, cancellations, sales and customers are asked for.'),
  healthCheck: Read.optional().describe('A request that only reads, by which `doctor` sees that the system knows us.'),
})

export type RestOptions = z.output<typeof RestSchema>

export const RestOptions = RestSchema.superRefine((options, context) => {
  for (const { path, message } of checkMappings(options)) context.addIssue({ code: 'custom', path, message })
})
export type WrittenEffects = z.output<typeof Effects>

function urlFault(text: string): string | null {
  return URL.parse(text)?.search ? 'Must not have a query: give it in `query` of the requests.' : addressFault(text)
}

/** Places of lists in the first that are none in the second: JSONata unwraps lists of one. */
function unlikeLists(many: unknown, one: unknown, place = 'the whole'): string[] {
  if (Array.isArray(many)) return Array.isArray(one) ? unlikeLists(many[0], one[0], place) : [place]
  if (!isObject(many) || !isObject(one)) return []
  return Object.entries(many).flatMap(([key, value]) => unlikeLists(value, one[key], `"${key}"`))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object'
}

type Path = (string | number)[]
type MappingFault = { path: Path; message: string }

/** Over answers only a fault that no answer can cure counts. */
const OVER_ANSWERS = ['refusedWhen', 'laterWhen', 'link', 'found', 'answer', 'items', 'cursor', 'more'] as const
const MAKE_NOTHING = new Set(['ready', 'collected', 'decline', 'expire'])

function checkMappings(options: RestOptions): MappingFault[] {
  const { orders = {}, customers = {}, stock = {}, backOffice = {}, poll, healthCheck } = options
  const readLevels = options.stock?.readLevels
  const sections = Object.entries({ orders, customers, stock: { ...stock, readLevels: undefined }, backOffice })
  const all = sections.flatMap(([section, methods]) =>
    Object.entries(methods).flatMap(([method, written]) =>
      Array.isArray(written)
        ? written.flatMap((each, index) => checkOne(each, [section, method, index]))
        : written === undefined
          ? []
          : checkOne(written, [section, method]),
    ),
  )
  return [
    ...all,
    ...(readLevels ? checkLevels(readLevels) : []),
    ...(poll ? checkTemplate(poll, ['poll'], { cursor: 'cursor-1' }, { cursor: 'cursor-1' }) : []),
    ...(healthCheck ? checkTemplate(healthCheck, ['check'], {}, {}) : []),
  ]
}

function checkLevels(template: LevelsTemplate): MappingFault[] {
  const { first } = template
  const location = 'oslo'
  const later = { location, page: typeof first === 'number' ? first + 1 : '2' }
  return checkTemplate(template, ['stock', 'readLevels'], later, {
    location,
    ...(first !== undefined && { page: first }),
  })
}

type Written = RequestTemplate & Partial<Pick<EffectTemplate, 'when' | 'link' | 'find'>>

function checkOne(written: Written, path: Path): MappingFault[] {
  const [section, method] = path as [string, string]
  const many = sampleOf(section, method, 2)
  const one = sampleOf(section, method, 1)
  return [
    ...checkLink(written, path),
    ...checkTemplate(written, path, many, one),
    ...tried([...path, 'when'], written.when, many, () => true),
    ...(written.find ? checkTemplate(written.find, [...path, 'find'], many, one) : []),
  ]
}

function checkLink({ link }: Written, path: Path): MappingFault[] {
  const [section, method] = path
  if (link === undefined || section !== 'orders' || !MAKE_NOTHING.has(String(method))) return []
  return [{ path: [...path, 'link'], message: 'Must not be given: nothing is made that has an id.' }]
}

function checkTemplate(template: RequestTemplate, path: Path, many: object, one: object): MappingFault[] {
  if (template.method === 'GET' && template.body !== undefined)
    return [{ path: [...path, 'body'], message: 'Must not be given: a GET has no body.' }]
  const expressions: Record<string, unknown> = { ...template }
  const overAnswer = { ...many, answer: {}, status: 200, headers: {} }
  const isHopeless = (code: string) => isNoFunction({ code }) || code === 'timeout'
  return [
    ...checkRequest(template, path, many, one),
    ...OVER_ANSWERS.flatMap((key) => tried([...path, key], expressions[key], overAnswer, isHopeless)),
  ]
}

function checkRequest(template: RequestTemplate, path: Path, many: object, one: object): MappingFault[] {
  try {
    const [twice, once] = [buildRequest(template, many), buildRequest(template, one)]
    for (const [name, text] of Object.entries(template.query ?? {}))
      if (!twice.path.includes(`${encodeURIComponent(name)}=`))
        return [
          { path: [...path, 'query', name], message: `${text} gives nothing, though all that there may be is there.` },
        ]
    if (template.type === 'form' || !twice.body || !once.body) return []
    const unlike = unlikeLists(JSON.parse(twice.body.toString()), JSON.parse(once.body.toString()))
    return unlike.map((place) => ({
      path: [...path, 'body'],
      message: `Must have [ ] around ${place}: it is a list where there are two, and none where there is one.`,
    }))
  } catch (error) {
    return [faultOf(error, path)].flat()
  }
}

function tried(path: Path, expression: unknown, input: object, tells: (code: string) => boolean): MappingFault[] {
  if (typeof expression !== 'string') return []
  try {
    resultOf(expression, input)
    return []
  } catch (error) {
    const fault = error instanceof MappingError ? error.fault : null
    return fault && !tells(fault.code) ? [] : faultOf(error, path)
  }
}

function faultOf(error: unknown, path: Path): MappingFault[] {
  if (!(error instanceof MappingError)) throw error
  const { message, place, fault } = error
  if (fault?.code.startsWith('S0')) return []
  const why = fault ? `: ${shownFault(fault)}` : ''
  return [{ path: [...path, ...place], message: `On a sample, ${message}${why}.` }]
}

/** For the check of mappings at start: all fields, and `count` entries a list. */

const { receiptUrl: _, vatTotal: __, ...posSale } = sale

const orderLine = { ...texts('key rowId gtin'), quantity: 'decimal', status: 'text' } as const
const parcel = { id: 'text', items: [{ gtin: 'text', quantity: 'decimal' }] } as const
const stockLevel: ShapeOf<StockLevel> = { ...texts('location gtin sku'), level: 'decimal' }

const SHAPES = {
  posOrder: {
    ...posSale,
    ...texts('number transactionId contradiction'),
    comments: ['text'],
  } satisfies ShapeOf<PosOrder>,
  order: {
    ...texts('number platformId status stockId stockName'),
    shipments: [parcel],
    lines: [orderLine],
  } satisfies ShapeOf<OrderUpdate>,
  refund: {
    ...texts('number refundId status stockId stockName'),
    isRefunded: 'yes/no',
    lines: [orderLine],
  } satisfies ShapeOf<OrderReturn>,
  customer: texts(
    'customerId extId email firstName lastName companyName phone address postalCode city countryCode',
  ) satisfies ShapeOf<CustomerRecord>,
  consent: {
    ...texts('customerId extId email phone agreedAt'),
    agreedSendEmail: 'yes/no',
    agreedSendSms: 'yes/no',
  } satisfies ShapeOf<CustomerConsent>,
  erased: {
    pseudonym: 'text',
    customerIds: ['text'],
    theirIds: ['text'],
    emails: ['text'],
    orders: ['text'],
  } satisfies ShapeOf<ErasedCustomer>,
} as const

export function bookingSample(kind: RecordKind, count: number): object {
  const { key: _, ...shape } = shapeOf(methodOf(kind))
  const sample = sampleOfShape(shape, count) as Record<string, unknown>
  return 'step' in shape ? { ...sample, step: kind === 'transfer' ? 'sent' : 'made', theirId: '99' } : sample
}

function sampleOf(section: string, method: string, count: number): object {
  const key = 'SampleKind:1:sample-flow:'
  const theirId = '99'
  const of = (name: keyof typeof SHAPES) => sampleOfShape(SHAPES[name], count) as Record<string, unknown>
  const order: Record<string, unknown> = { ...of('order'), number: 'A1' }
  const line = sampleOfShape(orderLine, count)
  switch (`${section}.${method}`) {
    case 'customers.erase':
      return { key, theirId, erased: of('erased') }
    case 'customers.noteConsent':
      return { key, theirId, consent: of('consent') }
    case 'customers.upsert':
      return { key, theirId, customer: of('customer') }
    case 'customers.byEmail':
      return { email: TEXTS.email }
    case 'customers.byPhone':
      return { phones: repeated(count, TEXTS.phone), phone: TEXTS.phone, typed: '91234567' }
    case 'stock.setLevels':
      return { key, stock: sampleOfShape(stockLevel, count), levels: sampleOfShape([stockLevel], count) }
    case 'orders.search':
      return { number: order.number }
    case 'orders.create':
    case 'orders.draft':
      return { key, order: { ...of('posOrder'), number: 'EA-77' } }
    case 'orders.decline':
      return { key, theirId, ofPos: true, order, line, quantity: '1' }
    case 'orders.ship':
      return { key, theirId, ofPos: true, order, parcel: sampleOfShape(parcel, count) }
    case 'orders.refund':
    case 'orders.noteRefund':
      return { key, theirId, ofPos: true, refund: { ...of('refund'), number: 'A1' }, line, quantity: '1' }
    case 'orders.expire':
      return { key, theirId, ofPos: true, order: { number: order.number, lines: order.lines } }
  }
  if (section === 'backOffice') return { key, ...bookingSample(method as RecordKind, count) }
  return { key, theirId, ofPos: true, order }
}

function sampleOfShape(shape: Shape, count: number, name = ''): unknown {
  if (shape === 'yes/no') return true
  if (shape === 'decimal') return DECIMALS[name] ?? '1'
  if (shape === 'text') return textNamed(name)
  if (Array.isArray(shape)) return repeated(count, sampleOfShape(shape[0] as Shape, count, name))
  return Object.fromEntries(Object.entries(shape).map(([name, part]) => [name, sampleOfShape(part, count, name)]))
}

function repeated<Item>(count: number, item: Item): Item[] {
  return Array(count).fill(item)
}

function textNamed(name: string): string {
  if (/^(at|from|to)$|At$/.test(name)) return '2026-11-20T14:03:27'
  if (/^day$|On$/.test(name)) return '2026-11-20'
  if (/Url$/.test(name)) return 'https://www.example.com/1002'
  return TEXTS[name as keyof typeof TEXTS] ?? '1'
}

const DECIMALS: Readonly<Record<string, string>> = { amount: '349', rate: '0.25', vatRate: '0.25' }

const TEXTS = {
  orderNo: 'EA-77',
  receiptNo: '1002',
  storeNo: '101',
  storeKey: '101',
  storeId: '42',
  stockId: '12',
  posId: '3',
  gtin: '7090012340011',
  article: '7090012340011',
  customerId: '501',
  email: 'kari.nordmann@example.com',
  emails: 'kari.nordmann@example.com',
  phone: '+4791234567',
  currency: 'NOK',
  country: 'NO',
  countryCode: 'NO',
  postalCode: '0155',
  firstName: 'Kari',
  lastName: 'Nordmann',
  name: 'T-shirt',
  location: 'oslo',
  settlementId: '3001',
  transferId: '81',
  account: '1910',
  text: 'Cash',
  type: 'Card',
  reference: 'PO-2026-17',
} as const
