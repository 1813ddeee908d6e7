{{- define "site-validator.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "site-validator.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains .Chart.Name .Release.Name }}
{{- .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* Labels that select a component's pods. Arguments: the root and the component. */}}
{{- define "site-validator.selector" -}}
app.kubernetes.io/name: {{ include "site-validator.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{/* Name, namespace, labels and annotations of an object. Arguments: root, name, component, namespace, annotations. */}}
{{- define "site-validator.metadata" -}}
name: {{ .name }}
namespace: {{ .namespace | default .root.Release.Namespace }}
labels:
  {{- include "site-validator.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ .root.Release.Service }}
  app.kubernetes.io/part-of: site-validator
  helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
  {{- with .root.Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (dict) (.annotations | default dict) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "site-validator.image" -}}
{{- $image := index .root.Values.image .kind -}}
{{ $image.repository }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{- define "site-validator.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Pod Security "restricted". */}}
{{- define "site-validator.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "site-validator.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "site-validator.databaseSecret" -}}
{{- .Values.database.existingSecret | default (printf "%s-database" (include "site-validator.fullname" .)) }}
{{- end }}

{{- define "site-validator.databaseKey" -}}
{{- if .Values.database.existingSecret }}{{ .Values.database.secretKeys.url }}{{ else }}url{{ end }}
{{- end }}

{{- define "site-validator.jobsDatabaseKey" -}}
{{- if .Values.database.existingSecret }}
{{- .Values.database.secretKeys.jobsUrl | default .Values.database.secretKeys.url }}
{{- else }}jobsUrl{{ end }}
{{- end }}

{{- define "site-validator.tokenSecret" -}}
{{- .Values.firstToken.existingSecret | default (printf "%s-first-token" (include "site-validator.fullname" .)) }}
{{- end }}

{{- define "site-validator.keySecret" -}}
{{- .Values.secretKey.existingSecret | default (printf "%s-secret-key" (include "site-validator.fullname" .)) }}
{{- end }}

{{- define "site-validator.tokenKey" -}}
{{- if .Values.firstToken.existingSecret }}{{ .Values.firstToken.key }}{{ else }}token{{ end }}
{{- end }}

{{/* true when the bundled database is used. */}}
{{- define "site-validator.bundled" -}}
{{- if and .Values.postgresql.enabled (not .Values.database.url) (not .Values.database.existingSecret) }}true{{ end }}
{{- end }}

{{- define "site-validator.baseUrl" -}}
{{- if .Values.api.baseUrl }}{{ .Values.api.baseUrl }}
{{- else if and .Values.ingress.enabled .Values.ingress.hosts }}
{{- $scheme := ternary "https" "http" (gt (len .Values.ingress.tls) 0) }}
{{- printf "%s://%s" $scheme (first .Values.ingress.hosts).host }}
{{- else if and .Values.httpRoute.enabled .Values.httpRoute.hostnames }}
{{- printf "https://%s" (first .Values.httpRoute.hostnames) }}
{{- end }}
{{- end }}

{{/* Environment of api and controller. */}}
{{/*
The paths of the pages for people, as a JSON array; "/" stands for itself alone. "/people" "/r/" with its slash: some controllers
match the beginning of the text, and "/r" would open /readyz. Without those pages there are the guides, with their style.
*/}}
{{- define "site-validator.webPaths" -}}
{{- $pages := list "/" "/assets" "/audit" "/credentials" "/deliveries" "/guests" "/guides" "/held" "/join/" "/kept" "/months" "/mutings" "/people" "/r/" "/receivers" "/reports" "/schedules" "/sessions" "/setup" "/share-links" "/shared" "/sign-in" "/sign-out" "/sites" "/teams" "/tokens" "/usage" -}}
{{- $alone := has "/guides" .Values.api.publicPaths | ternary (list "/assets") list -}}
{{- .Values.web.enabled | ternary $pages $alone | toJson -}}
{{- end }}

{{/* The key of the pooler's URL; empty without a pooler. The bundled database has none. */}}
{{- define "site-validator.poolDatabaseKey" -}}
{{- if .Values.database.existingSecret }}{{ .Values.database.secretKeys.poolUrl }}
{{- else if and .Values.database.url .Values.database.poolUrl }}poolUrl{{ end }}
{{- end }}

{{- define "site-validator.env" -}}
- name: CLUSTER
  value: kubernetes
- name: NAMESPACE
  valueFrom: { fieldRef: { fieldPath: metadata.namespace } }
- name: POD_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- name: WATCH_NAMESPACES
  value: {{ include "site-validator.namespaces" . | quote }}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ include "site-validator.databaseSecret" . }}
      key: {{ include "site-validator.databaseKey" . }}
- name: SECRET_KEY
  valueFrom:
    secretKeyRef:
      name: {{ include "site-validator.keySecret" . }}
      key: {{ ternary .Values.secretKey.key "secret-key" (ne .Values.secretKey.existingSecret "") }}
{{- with .Values.secretKey.further }}
{{- if .existingSecret }}
- name: FURTHER_SECRET_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .existingSecret }}
      key: {{ .key }}
{{- end }}
{{- end }}
- name: ALLOWED_PRIVATE_CIDRS
  value: {{ join "," .Values.allowedPrivateCidrs | quote }}
- name: DENIED_CIDRS
  value: {{ join "," .Values.deniedCidrs | quote }}
{{- $addresses := list }}
{{- range $name, $address := .Values.hostAddresses }}
{{- $addresses = append $addresses (printf "%s=%s" $name $address) }}
{{- end }}
- name: HOST_ADDRESSES
  value: {{ join "," $addresses | quote }}
- name: BASE_URL
  value: {{ include "site-validator.baseUrl" . | quote }}
- name: NOTIFICATIONS
  value: {{ .Values.notifications.enabled | quote }}
- name: RECEIVER_PRIVATE_CIDRS
  value: {{ join "," .Values.notifications.allowedPrivateCidrs | quote }}
{{- with .Values.notifications.mail.from }}
- name: MAIL_FROM
  value: {{ . | quote }}
{{- end }}
- name: HTML_ENGINES
  value: conformance,html-validate{{ if (.Values.image.nu).repository }},nu{{ end }}
- name: LOG_LEVEL
  value: {{ .Values.logLevel }}
{{- end }}

{{/* The release's own namespace and the watched ones, each once, comma separated. */}}
{{- define "site-validator.namespaces" -}}
{{- join "," (prepend .Values.watchNamespaces .Release.Namespace | uniq) }}
{{- end }}

{{/* Migrates the schema; an advisory lock lets one pod at a time do so. */}}
{{- define "site-validator.migrate" -}}
- name: migrate
  image: {{ include "site-validator.image" (dict "root" . "kind" "slim") }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  args: [migrate]
  env:
    - name: DATABASE_URL
      valueFrom:
        secretKeyRef:
          name: {{ include "site-validator.databaseSecret" . }}
          key: {{ include "site-validator.databaseKey" . }}
    - name: JOBS_DATABASE_URL
      valueFrom:
        secretKeyRef:
          name: {{ include "site-validator.databaseSecret" . }}
          key: {{ include "site-validator.jobsDatabaseKey" . }}
    - name: LOG_LEVEL
      value: {{ .Values.logLevel }}
  resources:
    requests: { cpu: 50m, memory: 128Mi, ephemeral-storage: 50Mi }
    limits: { memory: 512Mi, ephemeral-storage: 200Mi }
  {{- include "site-validator.containerSecurity" . | nindent 2 }}
  volumeMounts:
    - name: tmp
      mountPath: /tmp
{{- end }}

{{/* On which nodes a component's pods run. Arguments: root, component, values. */}}
{{- define "site-validator.placement" -}}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
affinity:
{{- if .values.affinity }}
  {{- toYaml .values.affinity | nindent 2 }}
{{- else }}
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "site-validator.selector" . | nindent 14 }}
{{- end }}
{{- end }}
