import { afterAll, describe } from 'vitest'
import { storeContract } from '../contract.ts'
import { NO_SERVER, SERVER } from './schema.ts'
import { createPlaces } from './under-test.ts'

/* The whole contract where three hubs share a server: one delivers, and whatever else is asked is done by any of them. */

const places = createPlaces(undefined, 3)
afterAll(() => places[Symbol.asyncDispose]())

describe.skipIf(SERVER === undefined)(`three hubs (${SERVER ? 'PostgreSQL' : NO_SERVER})`, () => {
  storeContract({ name: 'PostgreSQL with three hubs', open: places.open, waits: true })
})
