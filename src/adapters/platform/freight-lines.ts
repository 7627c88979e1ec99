import { PermanentError } from '../../domain/values/errors.ts'
import type { Platform } from '../../platform/platform.ts'

/** The lines with the platform's own article in place of freight, which has no GTIN. Asked only where there is freight. */
export async function withFreight<Line extends { gtin: string }>(
  lines: readonly Line[],
  { freight }: Pick<Platform, 'freight'>,
  signal: AbortSignal,
): Promise<Line[]> {
  if (lines.every(({ gtin }) => gtin !== '')) return [...lines]
  const identity = await freight.read(signal)
  if (identity === null)
    throw new PermanentError(
      'platform: it names no article for freight (GET /api/Sale/freight). Ask its contact for one.',
      {
        code: 'no-freight-article',
      },
    )
  return lines.map((line) => (line.gtin === '' ? { ...line, gtin: identity } : line))
}
