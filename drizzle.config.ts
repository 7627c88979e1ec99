import { defineConfig } from 'drizzle-kit'

/** `npm run migrations` writes the next migration from the schema; the hub applies them at start. */
export default defineConfig({
  dialect: 'sqlite',
  schema: './src/store/sqlite/schema.ts',
  out: './src/store/sqlite/migrations',
})
