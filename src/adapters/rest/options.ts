import { checkMappings } from './mapping/check.ts'
import { RestSchema } from './schema.ts'

/** Options that an operator writes under a destination with `adapter: rest`. Each mapping has been tried on a sample. */
export const RestOptions = RestSchema.superRefine((options, context) => {
  for (const { path, message } of checkMappings(options)) context.addIssue({ code: 'custom', path, message })
})
