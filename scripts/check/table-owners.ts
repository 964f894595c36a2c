import type { TextFile } from './source-text.ts'

/** A wing that writes a table of another one. */
type ForeignWrite = { table: string; wing: string }

/**
 * Writes without a verb of the owner. This list only shrinks: instead of adding an entry, inject the write, as
 * `AccountCommunities` does.
 */
export const exceptions: readonly ForeignWrite[] = [
	// The owner of an address takes an account over, which cancels its deletion.
	{ table: 'accountDeletionRequests', wing: 'accounts' },
	// A person refuses all invitations by one link.
	{ table: 'communityInvitations', wing: 'accounts' },
	// Erasing a person blanks columns of the audit log, which otherwise only grows.
	{ table: 'auditLog', wing: 'accounts' },
	// The batch that publishes a video counts its minutes.
	{ table: 'usageCounters', wing: 'video' },
	// The task that makes a clip moves its highlight.
	{ table: 'highlights', wing: 'video' },
	// The files of a text are columns of its video.
	{ table: 'assets', wing: 'ai' },
	// The plan of highlights inserts the tasks of their clips.
	{ table: 'tasks', wing: 'ai' },
	// Settings are columns of the organization.
	{ table: 'orgs', wing: 'watch' },
]

/** Operations work on everybody's tables. */
const unlimited = 'operations'

const declaration = /export const (\w+) = sqliteTable\(\s*'(\w+)'/g
const drizzleWrite = /\.(?:insert|update|delete)\((\w+)\)|\binsertSelect\(\s*[\w.]+,\s*(\w+)/g
const sqlWrite =
	/\b(?:insert into|insert or \w+ into|replace into|update or \w+|update|delete from) (?:\$\{(\w+)\}|(\w+))/gi

/** Returns a line for each write to a table of another wing, and for each exception that is not needed any more. */
export function findOwnerProblems(
	files: readonly TextFile[],
	allowed: readonly ForeignWrite[] = exceptions,
): string[] {
	const tables = new Map<string, { table: string; owner: string }>()
	for (const { path, text } of files)
		for (const [, table = '', name = ''] of path.startsWith('schema/tables/')
			? text.matchAll(declaration)
			: []) {
			const entry = { table, owner: ownerName(path) }
			tables.set(table, entry).set(name, entry)
		}
	const used = new Set<ForeignWrite>()
	const problems = files.flatMap(({ path, text }) => {
		const wing = /^edge\/([a-z]+)\//.exec(path)?.[1]
		if (!wing || wing === unlimited) return []
		return writtenTables(text).flatMap((name) => {
			const { table, owner } = tables.get(name) ?? {}
			if (!table || owner === wing) return []
			const exception = allowed.find((each) => each.table === table && each.wing === wing)
			if (exception) used.add(exception)
			return exception ? [] : [`${path} writes ${table}, which belongs to ${owner}; call a verb of ${owner}`]
		})
	})
	const unneeded = allowed.filter((each) => !used.has(each))
	return [
		...new Set(problems),
		...unneeded.map(({ table, wing }) => `${wing} writes ${table} no longer; remove the exception`),
	]
}

const writtenTables = (text: string): string[] =>
	[...text.matchAll(drizzleWrite), ...text.matchAll(sqlWrite)].map(
		([, first, second]) => first ?? second ?? '',
	)

/** Tables in a folder belong to the wing of that name, the others to the platform. */
const ownerName = (path: string): string => /^schema\/tables\/([a-z]+)\//.exec(path)?.[1] ?? 'platform'
