// drizzle-kit only finds tables that a module exports by name.
module.exports = {
  ...require('../src/store/postgres/schema.ts').tables,
  ...require('../src/store/postgres/usage-schema.ts'),
}
