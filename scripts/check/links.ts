import { glob, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { findAnchors, findLinks } from './markdown-links.ts'

const ignoredFolders = new Set(['node_modules', '.git', '.playhouse', '.wrangler'])

export type BrokenLink = { file: string; line: number; target: string; problem: string }

/** Returns the broken relative links and anchors in the Markdown files of a tree. */
export async function findBrokenLinks(root: string): Promise<BrokenLink[]> {
	const texts = new Map<string, string>()
	for await (const file of glob('**/*.md', { cwd: root, exclude: (name) => ignoredFolders.has(name) }))
		texts.set(resolve(root, file), await readFile(join(root, file), 'utf8'))
	const anchors = new Map([...texts].map(([path, text]) => [path, findAnchors(text)]))

	const broken: BrokenLink[] = []
	for (const [path, text] of [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
		for (const { target, line } of findLinks(text)) {
			const problem = await problemWith(target, path, resolve(root), anchors)
			if (problem) broken.push({ file: relative(root, path), line, target, problem })
		}
	return broken
}

async function problemWith(
	target: string,
	from: string,
	root: string,
	anchors: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<string | null> {
	if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('//')) return null
	const [pathname = '', anchor] = target.split('#')
	if (pathname.startsWith('/')) return 'the link is absolute; make it relative to this file'
	const path = pathname === '' ? from : resolve(dirname(from), decodeURI(pathname))
	if (path !== root && !path.startsWith(root + sep)) return 'the link leaves the repository'
	if (!(await stat(path).catch(() => null))) return 'no such file'
	if (anchor === undefined || anchor === '') return null
	const headings = anchors.get(path)
	if (!headings) return 'only Markdown files have anchors; link to the file itself'
	return headings.has(decodeURIComponent(anchor)) ? null : 'no such heading'
}

if (import.meta.main) {
	const broken = await findBrokenLinks(resolve(import.meta.dirname, '../..'))
	for (const { file, line, target, problem } of broken)
		console.error(`${file}:${line}: ${target}: ${problem}`)
	if (broken.length > 0) process.exitCode = 1
}
