/** The maximum of files in one folder. */
const MAX_FILES = 20

/** A list that only grows, and the root, where tools look for their settings. */
const exempt: readonly string[] = ['docs/decisions', 'schema/migrations', 'schema/migrations/meta', '.']

/** Returns a line for each folder with too many files beside each other. */
export function findCrowdedFolders(paths: readonly string[]): string[] {
	const folderOf = (path: string) => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.')
	return [...Map.groupBy(paths, folderOf)].flatMap(([folder, files]) =>
		files.length > MAX_FILES && !exempt.includes(folder)
			? [
					`${folder} has ${files.length} files; at most ${MAX_FILES} fit beside each other, so give some a folder`,
				]
			: [],
	)
}
