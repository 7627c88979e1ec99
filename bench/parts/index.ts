import type { Part } from '../part.ts'
import { accept } from './accept.ts'
import { burst } from './burst.ts'
import { catalogue } from './catalogue.ts'
import { copy } from './copy.ts'
import { directory } from './directory.ts'
import { drain } from './drain.ts'
import { forgetYears } from './erase-years.ts'
import { facts } from './facts.ts'
import { history } from './history.ts'
import { hubs } from './hubs.ts'
import { idle } from './idle.ts'
import { ledger } from './ledger.ts'
import { lookups } from './lookups.ts'
import { neighbours } from './neighbours.ts'
import { pages } from './pages.ts'
import { prune } from './prune.ts'
import { pruneYears } from './prune-years.ts'
import { shelf } from './shelf.ts'
import { size } from './size.ts'
import { steady } from './steady.ts'
import { through } from './through.ts'
import { versus } from './versus.ts'
import { years } from './years.ts'

/** In the order in which they run. */
export const PARTS: readonly Part[] = [
  accept,
  hubs,
  through,
  drain,
  idle,
  steady,
  burst,
  neighbours,
  catalogue,
  lookups,
  directory,
  shelf,
  history,
  pages,
  ledger,
  facts,
  size,
  prune,
  years,
  pruneYears,
  forgetYears,
  copy,
  versus,
]
