import { test } from 'vitest'
import { tryEveryRoute } from './every-route.ts'

test('when each credential is tried on each route, and each key besides, then it opens those it is for, and the others change nothing', () =>
  tryEveryRoute('all'))
