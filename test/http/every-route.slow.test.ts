import { test } from 'vitest'
import { tryEveryRoute } from './every-route.ts'

// Few of the keys where no key is asked for; every-route.soak.ts tries them all.
test(
  'when each credential is tried on each route, then it opens those it is for, and the others change nothing',
  { timeout: 60_000 },
  () => tryEveryRoute('some'),
)
