CREATE TABLE `backup_changes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`source` text NOT NULL,
	`row_id` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `backup_chunks` (
	`backup_id` text NOT NULL,
	`position` integer NOT NULL,
	`key` text NOT NULL,
	`sha256` text NOT NULL,
	`text_sha256` text NOT NULL,
	`size_bytes` integer NOT NULL,
	PRIMARY KEY(`backup_id`, `position`)
);
--> statement-breakpoint
CREATE TABLE `backups` (
	`id` text PRIMARY KEY NOT NULL,
	`reason` text NOT NULL,
	`state` text NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`snapshot_at` integer,
	`sealed_key` text NOT NULL,
	`attempt` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	`restarts` integer DEFAULT 0 NOT NULL,
	`plan` text,
	`table_index` integer DEFAULT 0 NOT NULL,
	`after_rowid` integer DEFAULT 0 NOT NULL,
	`changes_seq` integer DEFAULT 0 NOT NULL,
	`schema_hash` text,
	`tables` integer,
	`rows` integer,
	`size_bytes` integer,
	`error` text,
	`verified_at` integer,
	`restore_seconds` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `backups_running` ON `backups` (`state`) WHERE state = 'running';--> statement-breakpoint
CREATE INDEX `backups_started` ON `backups` (`started_at`,`id`);