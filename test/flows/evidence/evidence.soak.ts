import { expect, test } from 'vitest'
import { provesEvidence } from './evidence-property.ts'

test.each(Array.from({ length: 20 }, (_, index) => 1 + index * 7_919))(
  'When 48,600 payloads are wrong in any way (seed %i), then nothing untrue or half leaves',
  async (seed) => {
    const { cases } = await provesEvidence(seed, 300)
    expect(cases).toBe(48_600)
  },
)
