import { z } from 'zod'
import { evaluate, isNoFunction, syntaxFault } from '../lib/jsonata.ts'
import { SHAPES, shapeOf } from '../payloads/known/kinds.ts'
import { isPath } from '../payloads/mapping/values.ts'

/** Where a field stands: a path, or JSONata, checked as it is read. */
const Where = z.string().superRefine((where, context) => {
  const fault = faultOf(where)
  if (fault !== null) context.addIssue({ code: 'custom', message: fault })
})

/** Where fields of payloads stand, by kind and by the hub's own name of the field (docs/evidence.md). */
export const Payloads = z
  .record(z.string(), z.record(z.string(), Where))
  .default({})
  .superRefine((kinds, context) => {
    for (const [kind, fields] of Object.entries(kinds)) {
      const shape = shapeOf(kind)
      if (!shape)
        context.addIssue({
          code: 'custom',
          path: [kind],
          message: `a kind whose fields the hub reads: ${list(SHAPES)}`,
        })
      for (const field of shape ? Object.keys(fields) : [])
        if (!Object.hasOwn(shape?.fields ?? {}, field))
          context.addIssue({
            code: 'custom',
            path: [kind, field],
            message: `a field that the hub reads of it: ${list(shape?.fields ?? {})}`,
          })
    }
  })

/** The fault in the way that it is written; null: none. What it makes of a payload is seen there (`kinds try`). */
function faultOf(where: string): string | null {
  if (isPath(where)) return null
  const fault = syntaxFault(where)
  if (fault !== null)
    return `a path such as Transaction.Amount, or JSONata: ${fault.message}${fault.position === null ? '' : ` (at character ${fault.position})`}`
  // Over nothing it is done at once, or never.
  const tried = evaluate(where, {})
  if ('fault' in tried && tried.fault.code === 'timeout') return 'JSONata that comes to an end'
  return 'fault' in tried && isNoFunction(tried.fault)
    ? `JSONata whose functions there are (at character ${tried.fault.position})`
    : null
}

function list(named: object): string {
  return Object.keys(named).join(', ')
}
