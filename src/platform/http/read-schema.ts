import { PermanentError } from '../../domain/values/errors.ts'
import { fieldsInSchema, type SchemaField } from '../../payloads/schema/payload-schema.ts'
import type { Platform } from '../platform.ts'

/** The fields that the platform's schema of a kind names; null: it shows none that can be read. */
export async function readSchema(
  { webhooks }: Pick<Platform, 'webhooks'>,
  kind: string,
  signal?: AbortSignal,
): Promise<SchemaField[] | null> {
  try {
    return fieldsInSchema(await webhooks.schema(kind, signal))
  } catch (error) {
    if (error instanceof PermanentError) return null
    throw error
  }
}
