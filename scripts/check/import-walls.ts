import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'

/** A file and everything it imports, types included: paths from the root, or names of packages. */
export type SourceFile = { path: string; imports: readonly string[] }

type Wall = {
	/** Files that the rule applies to. */
	files: RegExp
	/** Allowed imports. */
	allows: RegExp
	/** Imports that are forbidden although `allows` matches. */
	except?: RegExp
}

/** The wings of the house, and those that each may import. */
const wings = new Map([
	['accounts', []],
	['video', ['accounts']],
	['community', ['accounts']],
	['ai', ['accounts', 'video', 'community']],
	['watch', ['accounts', 'video', 'community', 'ai']],
	['operations', ['accounts', 'video', 'community', 'ai', 'watch']],
])
const anyWing = [...wings.keys()].join('|')

/** Wings have the same names, and the same order, in these folders. */
const wingWalls = [...wings].flatMap(([wing, lower]) =>
	['edge', 'schema/contract', 'schema/tables'].map((folder): Wall => {
		const higher = [...wings.keys()].filter((other) => other !== wing && !lower.includes(other))
		const except = higher.length > 0 ? new RegExp(`^${folder}/(${higher.join('|')})/`) : undefined
		return { files: new RegExp(`^${folder}/${wing}/`), allows: /./, ...(except && { except }) }
	}),
)

const PACKAGE = '[@a-z](?!.*\\.ts$)'

const walls: readonly Wall[] = [
	...wingWalls,
	{ files: /^schema\/contract\//, allows: /^(schema\/contract\/|zod$)/ },
	{ files: /^schema\/tables\//, allows: /^(schema\/|drizzle-orm)/ },
	{
		files: /^edge\/platform\//,
		allows: new RegExp(`^(edge/platform/|schema/|${PACKAGE})`),
		except: /^hono/,
	},
	{
		files: /^edge\/http\//,
		allows: new RegExp(`^(edge/http/|edge/platform/|schema/contract/|${PACKAGE})`),
		except: /^drizzle-orm/,
	},
	{ files: /^edge\/.*\/([a-z-]+-)?store\.ts$/, allows: /./, except: /^(hono|edge\/http\/)/ },
	{ files: /^edge\/.*\/([a-z-]+-)?routes\.ts$/, allows: /./, except: /^(drizzle-orm|schema\/tables\/)/ },
	{ files: /^edge\/web\//, allows: /^(edge\/web\/|schema\/contract\/|hls\.js$)/ },
	{ files: /^edge\/ai\/steps\//, allows: /./, except: /^edge\/video\/transcoding\/store\/(?!task-row)/ },
	{ files: /^edge\/(?!web\/)/, allows: /./, except: /^(transcoder-daemon|scripts|test|edge\/web)\// },
	{
		files: /^transcoder-daemon\//,
		allows: /^(transcoder-daemon\/|schema\/contract\/|node:|execa$|chokidar$|thumbhash$|zod$)/,
	},
	{ files: /^sdk\/src\//, allows: /^sdk\/src\// },
	{
		files: /^sdk\/cli\//,
		allows: /^(sdk\/|node:|commander$|@clack\/prompts$)/,
	},
	{ files: /^scripts\//, allows: /./, except: /^test\// },
]

const importPattern = /(?:\bfrom |\bimport \(?|\bimport\()'([^'\n]+)'/g

/** Reads the imports of TypeScript files, given by their paths from the root. */
export function readSources(root: string, paths: readonly string[]): Promise<SourceFile[]> {
	return Promise.all(
		paths.map(async (path) => ({
			path,
			imports: findImports(path, await readFile(join(root, path), 'utf8')),
		})),
	)
}

export function findImports(path: string, code: string): string[] {
	return [...code.matchAll(importPattern)].map(([, specifier = '']) => {
		if (specifier.startsWith('.')) return normalize(join(dirname(path), specifier))
		return specifier.startsWith('#schema/') ? specifier.slice(1) : specifier
	})
}

/** Returns a line for each forbidden import, each circle of imports and each pair of features that import each other. */
export function findWallProblems(files: readonly SourceFile[]): string[] {
	return [...crossings(files), ...circles(files), ...mutualFeatures(files)]
}

function crossings(files: readonly SourceFile[]): string[] {
	return files.flatMap(({ path, imports }) =>
		walls
			.filter(({ files }) => files.test(path))
			.flatMap(({ allows, except }) =>
				imports
					.filter((target) => !allows.test(target) || except?.test(target))
					.map((target) => `${path} may not import ${target}`),
			),
	)
}

/** Finds import cycles, with Tarjan's algorithm. */
function circles(files: readonly SourceFile[]): string[] {
	const importsOf = new Map(files.map(({ path, imports }) => [path, imports]))
	const order = new Map<string, number>()
	const stack: string[] = []
	const groups: string[][] = []
	const visit = (path: string): number => {
		const index = order.size
		order.set(path, index)
		stack.push(path)
		let low = index
		for (const target of importsOf.get(path) ?? []) {
			if (!importsOf.has(target)) continue
			if (!order.has(target)) low = Math.min(low, visit(target))
			else if (stack.includes(target)) low = Math.min(low, order.get(target) ?? low)
		}
		if (low === index) groups.push(stack.splice(stack.indexOf(path)))
		return low
	}
	for (const { path } of files) if (!order.has(path)) visit(path)
	return groups
		.filter((group) => group.length > 1)
		.map((group) => `these files import each other in a circle: ${group.toSorted().join(', ')}`)
}

/** Returns the feature of a file, such as `video/assets`. Resources of a community form one feature. */
const featureName = (path: string): string | undefined =>
	new RegExp(`^edge/(community|(?:${anyWing})/[a-z0-9-]+)/`).exec(path)?.[1]

function mutualFeatures(files: readonly SourceFile[]): string[] {
	const examples = new Map<string, string>()
	for (const { path, imports } of files)
		for (const target of imports) {
			const [from, to] = [featureName(path), featureName(target)]
			if (from && to && from !== to) examples.set(`${from} ${to}`, `${path} imports ${target}`)
		}
	return [...examples]
		.filter(([pair]) => {
			const [from = '', to = ''] = pair.split(' ')
			return from < to && examples.has(`${to} ${from}`)
		})
		.map(([pair, example]) => {
			const [from = '', to = ''] = pair.split(' ')
			return `features ${from} and ${to} import each other: ${example}, ${examples.get(`${to} ${from}`)}`
		})
}
