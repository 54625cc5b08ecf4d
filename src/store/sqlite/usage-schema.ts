import { usageTables } from '../sql/usage-tables.ts'
import { sqliteColumns } from './columns.ts'

export const { monthlyUsage, dailyUsage, deletedAccountUsage } = usageTables(sqliteColumns)
