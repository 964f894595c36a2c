import type { tasks } from '#schema/tables/transcoding.ts'

export type TaskRow = typeof tasks.$inferSelect
