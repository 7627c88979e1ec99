import { defineConfig } from 'vitest/config'
import { EXCEPTIONS } from './test/dialect-stories.ts'
import base from './vitest.config.ts'

/** The stories of test/flows with platforms that speak otherwise than those of `npm test`: `npm run test:dialects`. */
export default defineConfig({
  test: {
    projects: (['spec', 'frontsystems-v2'] as const).map((DIALECT) => ({
      test: {
        ...base.test,
        name: DIALECT,
        include: ['test/flows/**/*.test.ts'],
        exclude: Object.entries(EXCEPTIONS).flatMap(([file, { not }]) =>
          not.includes(DIALECT) ? [`test/flows/**/${file}{,.slow}.test.ts`] : [],
        ),
        env: { DIALECT },
      },
    })),
  },
})
