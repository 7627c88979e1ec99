import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { listen } from '../../../test/listen.ts'

/*
 * HubSpot's contacts as its public reference shows them (read on 2026-11-21):
 * https://developers.hubspot.com/docs/api-reference/legacy/crm/objects/contacts/batch/upsert-contacts and
 * https://developers.hubspot.com/docs/api-reference/search/guide
 */

const Properties = z.strictObject(
  Object.fromEntries(
    ['email', 'firstname', 'lastname', 'company', 'phone', 'mobilephone', 'address', 'zip', 'city', 'country'].map(
      (name) => [name, z.string().optional()],
    ),
  ),
)
const Upsert = z.strictObject({
  inputs: z
    .array(z.strictObject({ id: z.string(), idProperty: z.literal('email'), properties: Properties }))
    .min(1)
    .max(100),
})
const Filter = z.union([
  z.strictObject({ propertyName: z.string(), operator: z.literal('EQ'), value: z.string() }),
  z.strictObject({ propertyName: z.string(), operator: z.literal('IN'), values: z.array(z.string()).min(1) }),
])
const Search = z.strictObject({
  filterGroups: z.array(z.strictObject({ filters: z.array(Filter).min(1).max(6) })).max(5),
  properties: z.array(z.string()),
  limit: z.int().min(1).max(200),
})

interface Contact {
  id: string
  properties: Record<string, string>
}

export interface HubSpot extends AsyncDisposable {
  url: string
  contacts: Contact[]
  /** Each request as `POST /path`. */
  asked: string[]
}

export async function startHubSpot(token: string): Promise<HubSpot> {
  const contacts: Contact[] = []
  const asked: string[] = []
  const server = await listen((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    void answer(request, response, contacts, token)
  })
  return {
    ...server,
    contacts,
    asked,
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, contacts: Contact[], token: string) {
  const body: unknown = JSON.parse((await text(request)) || 'null')
  const say = (status: number, said: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  const refuse = (status: number, category: string) => say(status, { status: 'error', message: String(body), category })
  if (request.headers.authorization !== `Bearer ${token}`) return refuse(401, 'INVALID_AUTHENTICATION')
  const path = `${request.method} ${request.url}`
  if (path === 'POST /crm/v3/objects/contacts/batch/upsert') {
    const read = Upsert.safeParse(body)
    if (!read.success) return refuse(400, 'VALIDATION_ERROR')
    const results = read.data.inputs.map(({ id, properties }) =>
      upsert(contacts, id, properties as Record<string, string>),
    )
    return say(200, { status: 'COMPLETE', results, startedAt: NOW, completedAt: NOW })
  }
  if (path === 'POST /crm/v3/objects/contacts/search') {
    const read = Search.safeParse(body)
    if (!read.success) return refuse(400, 'VALIDATION_ERROR')
    const results = contacts.filter((contact) =>
      read.data.filterGroups.some(({ filters }) => filters.every((filter) => fits(contact, filter))),
    )
    return say(200, { total: results.length, results })
  }
  const id = /^PATCH \/crm\/v3\/objects\/contacts\/(\d+)$/.exec(path)?.[1]
  const contact = contacts.find((one) => one.id === id)
  if (!contact) return refuse(404, 'OBJECT_NOT_FOUND')
  const read = z.strictObject({ properties: Properties }).safeParse(body)
  if (!read.success) return refuse(400, 'VALIDATION_ERROR')
  const { email } = read.data.properties
  if (contacts.some((one) => one !== contact && one.properties.email === email)) return refuse(409, 'CONFLICT')
  Object.assign(contact.properties, read.data.properties)
  return say(200, contact)
}

const NOW = '2026-11-21T10:00:00.000Z'

function upsert(contacts: Contact[], email: string, properties: Record<string, string>) {
  const known = contacts.find((one) => one.properties.email === email)
  const contact = known ?? { id: String(101 + contacts.length), properties: {} }
  Object.assign(contact.properties, properties, { email })
  if (!known) contacts.push(contact)
  return { ...contact, new: !known, archived: false, createdAt: NOW, updatedAt: NOW }
}

function fits({ properties }: Contact, filter: z.output<typeof Filter>): boolean {
  const digits = properties.phone?.replace(/^\+47/, '')
  const isComputed = filter.propertyName === 'hs_searchable_calculated_phone_number'
  const value = isComputed ? digits : properties[filter.propertyName]
  return value !== undefined && (filter.operator === 'EQ' ? filter.value === value : filter.values.includes(value))
}
