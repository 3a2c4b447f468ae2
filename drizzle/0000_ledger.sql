CREATE TABLE "effects" (
	"number" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "effects_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"run_id" text NOT NULL,
	"action" text NOT NULL,
	"input" json NOT NULL,
	"idempotency_key" text NOT NULL,
	"once_by_key" boolean NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "run_events" (
	"run_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"attempt" integer NOT NULL,
	"type" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"append_id" text,
	"payload" json NOT NULL,
	"result" json,
	CONSTRAINT "run_events_pk" PRIMARY KEY("run_id","seq")
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"id" text PRIMARY KEY NOT NULL,
	"number" bigint GENERATED ALWAYS AS IDENTITY (sequence name "runs_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"thread_id" text NOT NULL,
	"owner_id" text NOT NULL,
	"client_token" text,
	"status" text NOT NULL,
	"input" json NOT NULL,
	"search_text" text NOT NULL,
	"model" json NOT NULL,
	"faults" json NOT NULL,
	"attempts" integer NOT NULL,
	"last_seq" bigint NOT NULL,
	"fence" bigint NOT NULL,
	"lease_owner" text,
	"lease_expires_at" timestamp with time zone NOT NULL,
	"next_try_at" timestamp with time zone,
	"cancel_requested_at" timestamp with time zone,
	"resumable" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "runs_status" CHECK (status in ('running', 'waiting', 'done', 'failed', 'cancelled'))
);
--> statement-breakpoint
CREATE TABLE "threads" (
	"id" text PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL,
	"title" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"active_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_thread_id_threads_id_fk" FOREIGN KEY ("thread_id") REFERENCES "public"."threads"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "effects_once_by_key" ON "effects" USING btree ("idempotency_key") WHERE once_by_key;--> statement-breakpoint
CREATE INDEX "effects_by_key" ON "effects" USING btree ("idempotency_key");--> statement-breakpoint
CREATE INDEX "effects_by_run" ON "effects" USING btree ("run_id");--> statement-breakpoint
CREATE UNIQUE INDEX "run_events_append" ON "run_events" USING btree ("run_id","append_id") WHERE append_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "runs_one_active_per_thread" ON "runs" USING btree ("thread_id") WHERE status in ('running', 'waiting');--> statement-breakpoint
CREATE UNIQUE INDEX "runs_client_token" ON "runs" USING btree ("owner_id","client_token") WHERE client_token is not null;--> statement-breakpoint
CREATE INDEX "runs_by_owner" ON "runs" USING btree ("owner_id","number");--> statement-breakpoint
CREATE INDEX "runs_by_thread" ON "runs" USING btree ("thread_id","number");--> statement-breakpoint
CREATE INDEX "threads_by_activity" ON "threads" USING btree ("owner_id","active_at");