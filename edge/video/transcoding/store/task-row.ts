import type { tasks } from '#schema/tables/video/transcoding.ts'

export type TaskRow = typeof tasks.$inferSelect
