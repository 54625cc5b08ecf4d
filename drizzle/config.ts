import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: ['./src/store/sql/tables.ts', './src/store/sql/usage-tables.ts'],
  out: './drizzle/sqlite',
})
