import { afterAll } from 'vitest'
import { storeContract } from './contract.ts'
import { SERVER } from './postgres/schema.ts'
import { createPlaces } from './postgres/under-test.ts'

const places = createPlaces()
afterAll(() => places[Symbol.asyncDispose]())

storeContract({ name: SERVER ? 'PostgreSQL' : 'PostgreSQL in the process (PGlite)', open: places.open, waits: true })
