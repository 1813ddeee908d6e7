{{/*
Settings for the Jobs that the controller creates. The program decides what a Job runs; these settings
decide where its pods run, with which resources, and where the credentials come from.
*/}}
{{- define "site-validator.jobTemplate" -}}
labels:
  app.kubernetes.io/name: {{ include "site-validator.name" . }}
  app.kubernetes.io/instance: {{ .Release.Name }}
  app.kubernetes.io/component: job
  app.kubernetes.io/part-of: site-validator
  {{- with .Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- with .Values.jobs.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
annotations: {{ merge (dict) .Values.jobs.annotations .Values.commonAnnotations | toJson }}
serviceAccountName: {{ include "site-validator.fullname" . }}-job
imagePullSecrets:
  {{- range .Values.image.pullSecrets }}
  - name: {{ . }}
  {{- else }} []
  {{- end }}
env:
  - name: DATABASE_URL
    valueFrom:
      secretKeyRef:
        name: {{ include "site-validator.databaseSecret" . }}
        key: {{ include "site-validator.jobsDatabaseKey" . }}
  {{- with .Values.jobs.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
resources: {{- toYaml .Values.jobs.resources | nindent 2 }}
nodeSelector: {{ toJson .Values.jobs.nodeSelector }}
tolerations: {{ toJson .Values.jobs.tolerations }}
affinity: {{ toJson .Values.jobs.affinity }}
priorityClassName: {{ .Values.jobs.priorityClassName | quote }}
{{- end }}
