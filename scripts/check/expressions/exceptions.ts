/** An expression that may take superlinear time, or that can't be judged, and why that is harmless. */
export type ExpressionException = { path: string; expression: string; reason: string }

/** `new RegExp` stands for all composed expressions of a file. */
const composed = (path: string, reason: string): ExpressionException => ({
	path,
	expression: 'new RegExp',
	reason,
})

const cut = 'meets at most 2,000 characters'

export const exceptions: readonly ExpressionException[] = [
	{
		path: 'edge/video/assets/errors/error-fingerprint.ts',
		expression: String.raw`/[^\s@<>"']+@[^\s@<>"']+\.[a-z]+/gi`,
		reason: cut,
	},
	{
		path: 'edge/video/assets/errors/error-fingerprint.ts',
		expression: '/"[^"]*"|“[^”]*”|‘[^’]*’|`[^`]*`|(?<![\\p{L}\\p{N}])\'[^\']*\'(?![\\p{L}\\p{N}])/gu',
		reason: cut,
	},
	{
		path: 'edge/operations/diagnostics/bundle/redact.ts',
		expression: String.raw`/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi`,
		reason: cut,
	},
	{
		path: 'edge/operations/diagnostics/bundle/redact.ts',
		expression: String.raw`/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g`,
		reason: cut,
	},
	{
		path: 'edge/operations/diagnostics/bundle/redact.ts',
		expression: String.raw`/\b(?:phk|whsec|sk|pk|rk|ghp|github_pat|xox[a-z])[_-][\w=+/-]{8,}/g`,
		reason: cut,
	},
	composed('edge/operations/diagnostics/bundle/redact.ts', cut),
	composed('edge/operations/backups/format/schema-sql.ts', 'is anchored, and begins with fixed words'),
	composed(
		'edge/operations/diagnostics/metrics/exposition.ts',
		'meets names of series that this Worker made',
	),
	composed('edge/accounts/orgs/api-key.ts', 'is anchored, and has a fixed length'),
	composed('edge/platform/database/search-terms.ts', 'consists of two classes that share no character'),
	composed(
		'edge/ai/subtitles/files/cue-times.ts',
		'is anchored, and each part ends before the next can begin',
	),
	composed('schema/contract/kit/fields.ts', 'is anchored, and has a fixed length'),
	composed('transcoder-daemon/ffmpeg/known-arguments.ts', 'is anchored, and meets arguments of this program'),
]
