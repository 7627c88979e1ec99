import { emailOf, PHONE_PREFIXES } from '../privacy/person-nodes.ts'
import { idSortOf, isPersonsObject, PERSONAL_FIELDS, plainName } from '../privacy/personal-fields.ts'
import { field, isId } from '../values/field.ts'
import { phoneOf, readTypedPhone, splitPhone } from '../values/phone.ts'

export type SearchSort = 'order' | 'receipt' | 'email' | 'phone' | 'article' | 'id'

export interface SearchKey {
  sort: SearchSort
  value: string
}

const FIELDS: ReadonlyMap<string, SearchSort> = new Map(
  Object.entries({
    order: 'orderno ordernumber extorderid extorderno originalorderno orderreference',
    receipt: 'receiptno receiptnumber originalreceiptno',
    article: 'gtin ean barcode sku externalsku',
    id: 'extref saleguid txref settlementid movementid transferid orderid',
  }).flatMap(([sort, names]) => names.split(' ').map((name) => [name, sort as SearchSort])),
)

const MAX_KEYS = 200
const MAX_VALUES = 200_000
const DEEPEST = 32
const LONGEST = 120
const SHORTEST_ID = 8

export function searchKeysOf(payload: unknown): SearchKey[] {
  const [things, people] = [new Map<string, SearchKey>(), new Map<string, SearchKey>()]
  let values = 0
  walk(payload, 0, false)
  return [...things.values(), ...[...people].flatMap(([name, key]) => (things.has(name) ? [] : [key]))]

  function walk(value: unknown, depth: number, isPersons: boolean): void {
    if (value === null || typeof value !== 'object' || depth > DEEPEST) return
    const isList = Array.isArray(value)
    for (const [name, inner] of Object.entries(value)) {
      values += 1
      if (values > MAX_VALUES) return
      if (typeof inner === 'object') walk(inner, depth + 1, isList ? isPersons : (isPersonsObject(name) ?? isPersons))
      else if (!isList)
        for (const key of keysOfField(name.toLowerCase(), textOf(inner), value))
          add(key, isPersons || isOfPeople(name, key) ? people : things)
    }
    if (!isList) for (const key of receiptOf(value)) add(key, things)
  }

  function add(key: SearchKey, found: Map<string, SearchKey>): void {
    if (key.value !== '' && found.size < MAX_KEYS) found.set(`${key.sort} ${key.value}`, key)
  }
}

function isOfPeople(name: string, { sort }: SearchKey): boolean {
  return sort === 'email' || sort === 'phone' || (sort === 'id' && /^customer/i.test(name))
}

export function searchTermsOf(text: string, countries: readonly string[]): SearchKey[] {
  const typed = text.trim().slice(0, LONGEST)
  if (typed === '') return []
  const code = codeOf(typed)
  const terms: SearchKey[] = (['order', 'receipt', 'article', 'id'] as const).map((sort) => ({ sort, value: code }))
  if (typed.includes('@')) terms.push({ sort: 'email', value: emailOf(typed) })
  const phone = readTypedPhone(typed, countries)
  if (phone) {
    const written = [phone.typed, ...phone.numbers.flatMap((number) => [number, splitPhone(number).number ?? ''])]
    for (const value of new Set(written.map(digitsOf))) if (value !== '') terms.push({ sort: 'phone', value })
  }
  return terms
}

export function codeOf(text: string): string {
  return text.normalize('NFKC').trim().replace(/^#/, '').replaceAll(/\s+/g, ' ').toLowerCase()
}

function keysOfField(name: string, value: string, beside: object): SearchKey[] {
  if (value === '') return []
  if (name === 'id') return value.length < SHORTEST_ID || !isId(value) ? [] : [{ sort: 'id', value: codeOf(value) }]
  if (name === 'recipient') return value.includes('@') ? [emailKey(value)] : phoneKeys(value, null)
  const sort = FIELDS.get(name) ?? personalSortOf(name)
  if (sort === undefined) return []
  if (sort === 'email') return [emailKey(value)]
  if (sort === 'phone') {
    const [, prefix] = Object.entries(beside).find(([one]) => PHONE_PREFIXES.has(plainName(one))) ?? []
    return phoneKeys(value, textOf(prefix) || null)
  }
  return sort === 'id' && !isId(value) ? [] : [{ sort, value: codeOf(value) }]
}

function personalSortOf(name: string): SearchSort | undefined {
  const sort = PERSONAL_FIELDS.get(plainName(name))?.sort
  if (sort === 'email' || sort === 'phone') return sort
  return idSortOf(name) === null ? undefined : 'id'
}

function emailKey(value: string): SearchKey {
  return { sort: 'email', value: emailOf(value) }
}

function phoneKeys(value: string, prefix: string | null): SearchKey[] {
  const phone = phoneOf(prefix, value)
  const forms = [phone, splitPhone(phone).number, value].map((form) => digitsOf(form ?? ''))
  return [...new Set(forms)].filter((form) => form.length > 3).map((form) => ({ sort: 'phone', value: form }))
}

function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '').replace(/^0+/, '')
}

function receiptOf(sale: object): SearchKey[] {
  const store = field(sale, 'store')
  const receipt = textOf(field(sale, 'receiptNo'))
  const [pos, number] = [textOf(field(store, 'posId')), textOf(field(store, 'storeExtId'))]
  if (!receipt || !pos) return []
  const ofPos = `${pos}/${receipt}`
  const values = number ? [ofPos, `${number}/${ofPos}`] : [ofPos]
  return values.map((value) => ({ sort: 'receipt', value: codeOf(value) }))
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.length > LONGEST ? '' : value.trim()
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : ''
}
