import { type Request, Router } from 'express'
import { CustomerBody, CustomerFilter } from '../people/body.ts'
import type { CustomerBook, KnownCustomer } from '../people/book.ts'
import { Refusal } from '../refusal.ts'
import { readBody } from '../sales/door.ts'
import type { Emit } from '../sales/emit.ts'
import { STORES, type Store } from '../stores.ts'

/** PUT changes or adds one, POST searches and changes nothing (spec, "POS settlements and sales"; facts, §5 trap 20), DELETE deletes one (facts, §3). */
export function createCustomersApi(book: CustomerBook, emit: Emit): Router {
  const router = Router()
  router.put('/api/Customer', (request, response) => {
    const { customer, isNew } = book.put(readBody(CustomerBody, request.body, Object.keys(CustomerBody.shape)))
    emit(isNew ? 'CustomerCreated' : 'CustomerUpdated', customerPayload(customer), storeFor(customer, request))
    response.json(customer.customerid)
  })
  router.post('/api/Customer', ({ body }, response) => {
    const filter = readFilter(body)
    const { pageSkip = 0, pageSize = 1_000 } = filter
    response.json(
      book
        .search(filter)
        .slice(pageSkip, pageSkip + pageSize)
        .map((one) => ({ ...one, ins: utc(one.ins), upt: utc(one.upt) })),
    )
  })
  router.post('/api/Customer/count', ({ body }, response) => {
    response.json(book.search(readFilter(body)).length)
  })
  router.delete('/api/Customer/:id', ({ params: { id } }, response) => {
    const found = book.byId(Number(id))
    if (!found) throw new Refusal(404, 'There is no such customer.')
    book.remove(found.customerid)
    response.status(200).end()
  })
  return router
}

function readFilter(body: unknown): CustomerFilter {
  return readBody(CustomerFilter, body ?? {}, Object.keys(CustomerFilter.shape))
}

/** The store that hears of a customer: the one of registration, else the one that sent the request; else the first. */
function storeFor({ registeredStoreId }: KnownCustomer, request: Request): Store {
  const id = registeredStoreId === null ? request.get('x-storeid') : String(registeredStoreId)
  const [first] = STORES
  const found = STORES.find(({ StoreId }) => String(StoreId) === id) ?? first
  if (!found) throw new RangeError('There is no store.')
  return found
}

const COUNTRIES = Object.fromEntries(STORES.map(({ CountryCode, Country }) => [CountryCode, Country]))

/** The payload of CustomerCreated and CustomerUpdated (facts, §4 "CustomerCreated payload"). */
export function customerPayload(customer: KnownCustomer) {
  const { firstName, lastName, companyName, email, phone, phoneCountryPrefix, postalCode, city, countryCode } = customer
  return {
    customerId: customer.customerid,
    customerExtId: customer.extId,
    email,
    firstName,
    lastName,
    companyName,
    taxId: '',
    gender: '',
    address1: customer.address,
    city,
    province: '',
    postalCode,
    country: COUNTRIES[countryCode] ?? '',
    countryCode,
    phoneCountryPrefix,
    phone,
    description: '',
    agreedSendEmail: customer.agreedSendEmail,
    agreedSendSMS: customer.agreedSendSms,
    isEmployee: false,
    birthday: null,
    cardNo: '',
    tags: '',
    gdprUpdatedDateTime: null,
    registeredStoreId: customer.registeredStoreId,
    createdDateTime: utc(customer.ins),
    updatedDateTime: utc(customer.upt),
    deleted: customer.deleted,
    customerGuid: customer.id,
  }
}

function utc(instant: number): string {
  return new Date(instant).toISOString().slice(0, -1)
}
