import { z } from 'zod'
import { MachineId, Timestamp } from '../../kit/fields.ts'
import { MachineCapabilities } from '../../video/fleet.ts'
import { AiStats, InstallationStats } from '../stats.ts'
import { Backup } from './backups.ts'

const Count = z.int().nonnegative()
const newest = <T extends z.ZodType>(item: T) =>
	z.array(item).max(20).nullable().meta({ description: 'The newest ones; null if they could not be read' })

/** What a support mail needs. Texts are redacted, and values of variables are shown only if they can hold no secret. */
export const SupportBundle = z
	.object({
		createdAt: Timestamp,
		version: z.string(),
		variables: z.record(z.string(), z.string()).meta({
			description: 'Every variable: `set`, `not set`, or the value of a switch, number or choice',
		}),
		bindings: z.array(z.string()).meta({ description: 'What the Worker is bound to' }),
		totals: InstallationStats.nullable(),
		machines: newest(
			z.object({
				id: MachineId,
				state: z.enum(['online', 'draining', 'offline']),
				paused: z.boolean(),
				evicted: z.boolean(),
				capabilities: MachineCapabilities,
				lastSeenAt: Timestamp,
			}),
		),
		ai: AiStats.nullable(),
		deadLetters: newest(
			z.object({ queue: z.string(), type: z.string(), attempts: Count, createdAt: Timestamp }),
		),
		backups: newest(Backup),
		assetErrors: newest(z.object({ message: z.string(), occurrences: Count, lastSeenAt: Timestamp })),
		taskFailures: newest(
			z.object({ kind: z.string(), reason: z.string(), message: z.string(), createdAt: Timestamp }),
		),
		failedRequests: newest(z.object({ operation: z.string(), count: Count })).meta({
			description:
				'Operations with the most responses of 500 and above, without 501, since the installation began',
		}),
	})
	.meta({ id: 'SupportBundle' })
